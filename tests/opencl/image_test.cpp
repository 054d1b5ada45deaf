// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <collet/sdk/error.hpp>

#include "support/catch.hpp"

namespace collet::opencl {
namespace {

const std::vector<unsigned char> kBinary = {1, 2, 3, 0, 255};

collet_program_image_t image_of(const std::vector<std::byte>& bytes) {
  return {kBinaryFormat, bytes.data(), bytes.size()};
}

/** The text with which an image is refused; empty where it is taken. */
std::string refusal(const std::vector<std::byte>& bytes,
                    const std::string& signature = "a device") {
  try {
    static_cast<void>(unwrap_binary(image_of(bytes), signature));
    return {};
  } catch (const plugin::Error& error) {
    CHECK(error.status() == COLLET_ERROR_BUILD_FAILED);
    return error.what();
  }
}

TEST_CASE("what is unwrapped is what was wrapped") {
  for (const std::vector<unsigned char>& binary : {kBinary, std::vector<unsigned char>{}}) {
    const std::vector<std::byte> image = wrap_binary(binary, "a device");
    const std::span<const unsigned char> found = unwrap_binary(image_of(image), "a device");
    CHECK((std::vector<unsigned char>(found.begin(), found.end()) == binary));
  }
}

TEST_CASE("an image of another driver is refused by its maker's name") {
  CHECK(refusal(wrap_binary(kBinary, "an older driver")).find("an older driver") !=
        std::string::npos);
}

TEST_CASE("an image that is cut anywhere, or too long, is refused") {
  const std::vector<std::byte> image = wrap_binary(kBinary, "a device");
  for (std::size_t size = 0; size < image.size(); ++size) {
    const std::vector<std::byte> cut(image.begin(),
                                     image.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(refusal(cut).empty());
  }
  std::vector<std::byte> longer = image;
  longer.push_back(std::byte{0});
  CHECK_FALSE(refusal(longer).empty());
}

TEST_CASE("an image of which any byte has changed is refused") {
  const std::vector<std::byte> image = wrap_binary(kBinary, "a device");
  for (std::size_t at = 0; at < image.size(); ++at) {
    std::vector<std::byte> changed = image;
    changed[at] ^= std::byte{0x10};
    CHECK_FALSE(refusal(changed).empty());
  }
}

}  // namespace
}  // namespace collet::opencl
