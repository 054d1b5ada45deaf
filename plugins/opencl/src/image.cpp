// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <algorithm>
#include <collet/sdk/error.hpp>
#include <cstdint>
#include <cstring>

namespace collet::opencl {
namespace {

using plugin::Error;

struct Head {
  char magic[16];
  std::uint64_t signature_bytes;
  std::uint64_t binary_bytes;
  /** Of all that follows. */
  std::uint64_t checksum;
};

constexpr char kMagic[sizeof(Head::magic)] = "collet-opencl-1";

/** FNV-1a: it finds damage, not forgery. */
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325U;
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t sum = kStart;
  for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * kPrime;
  return sum;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(COLLET_ERROR_BUILD_FAILED, "the image is no " + std::string(kBinaryFormat) +
                                             " of this device: " + why +
                                             "; build the program from its source again");
}

/** @throws Error BUILD_FAILED unless the image is as long as its head says. */
Head head_of(std::span<const std::byte> image) {
  Head head{};
  if (image.size() < sizeof(head)) refuse("it is cut short");
  std::memcpy(&head, image.data(), sizeof(head));
  if (std::memcmp(head.magic, kMagic, sizeof(kMagic)) != 0) refuse("it does not begin as one");
  const std::uint64_t rest = image.size() - sizeof(head);
  if (head.signature_bytes > rest || head.binary_bytes != rest - head.signature_bytes) {
    refuse("it is cut short, or longer than it says");
  }
  return head;
}

}  // namespace

std::vector<std::byte> wrap_binary(const std::vector<unsigned char>& binary,
                                   const std::string& signature) {
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof(kMagic));
  head.signature_bytes = signature.size();
  head.binary_bytes = binary.size();
  std::vector<std::byte> image(sizeof(head) + signature.size() + binary.size());
  std::byte* const body = image.data() + sizeof(head);
  std::memcpy(body, signature.data(), signature.size());
  if (!binary.empty()) std::memcpy(body + signature.size(), binary.data(), binary.size());
  head.checksum = checksum(std::span(image).subspan(sizeof(head)));
  std::memcpy(image.data(), &head, sizeof(head));
  return image;
}

std::span<const unsigned char> unwrap_binary(const collet_program_image_t& image,
                                             const std::string& signature) {
  const std::span bytes(static_cast<const std::byte*>(image.data), image.size_bytes);
  const Head head = head_of(bytes);
  const std::span<const std::byte> body = bytes.subspan(sizeof(head));
  if (checksum(body) != head.checksum) refuse("it has been changed");
  const std::string_view maker(reinterpret_cast<const char*>(body.data()), head.signature_bytes);
  if (maker != signature) refuse("it was made for \"" + std::string(maker) + "\"");
  const std::span<const std::byte> binary = body.subspan(head.signature_bytes);
  return {reinterpret_cast<const unsigned char*>(binary.data()), binary.size()};
}

}  // namespace collet::opencl
