// SPDX-License-Identifier: Apache-2.0
// Programs that are built from sources, and kept. Collet reads its environment at its first use, so
// that each case sets it before.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "fixture.hpp"

namespace collet::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAdd =
    "#warning as it was built\n"
    "COLLET_KERNEL(add, COLLET_OUT(float) out, float value) {\n"
    "  COLLET_EACH(i, 16) out[i] += value;\n"
    "}\n";

// The same with something else in place of "value".
std::string adding(const std::string& term) {
  std::string text = kAdd;
  return text.replace(text.find("value;"), 5, term);
}

struct Build {
  explicit Build(std::string text = kAdd, std::string with = "", std::string name = "sums.clt")
      : source(std::move(text)), options(std::move(with)), label(std::move(name)) {}

  std::string source;
  std::string options;
  std::string label;
};

// A cache of its own, and a compiler that notes each of its runs.
class Place {
 public:
  explicit Place(const char* size = nullptr) {
    std::string path = (fs::temp_directory_path() / "collet-host-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
    path_ = path;
    write_compiler("");
    setenv("COLLET_CACHE_DIR", (path_ / "cache").c_str(), 1);
    setenv("COLLET_HOST_CXX", (path_ / "cxx").c_str(), 1);
    if (size != nullptr) {
      setenv("COLLET_CACHE_SIZE", size, 1);
    }
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    std::error_code ignored;
    fs::permissions(path_ / "cache", fs::perms::owner_all, ignored);
    fs::remove_all(path_, ignored);
  }

  // Shell before the compiler's call.
  void write_compiler(const std::string& lines) const {
    std::ofstream(path_ / "cxx") << "#!/bin/sh\necho run >> " << (path_ / "runs").string() << '\n'
                                 << lines << "\nexec c++ \"$@\"\n";
    fs::permissions(path_ / "cxx", fs::perms::owner_all);
  }

  [[nodiscard]] int runs() const {
    std::ifstream file(path_ / "runs");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  [[nodiscard]] fs::path programs() const { return path_ / "cache" / "programs"; }
  [[nodiscard]] std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (fs::exists(programs())) {
      std::copy(fs::directory_iterator(programs()), {}, std::back_inserter(files));
    }
    return files;
  }
  [[nodiscard]] fs::path only_entry() const {
    const std::vector<fs::path> files = entries();
    REQUIRE(files.size() == 1);
    return files.front();
  }

 private:
  fs::path path_;
};

// The device, where it runs a compiler whose runs can be counted; else the case is skipped.
collet_device_t* compiling_device() {
  collet_device_t* device = tested_device();
  const collet_device_properties_t properties = properties_of(device);
  if ((properties.flags & COLLET_DEVICE_DRIVER_COMPILES) != 0) {
    skip("the driver compiles");
  }
  const std::string formats = properties.program_formats;
  if (formats.find(COLLET_FORMAT_COLLET_C) == std::string::npos) {
    skip("the device takes no sources");
  }
  return device;
}

struct Built {
  collet_status_t status = COLLET_OK;
  Program program;
  std::string log;
};

Built build(const Build& what = Build()) {
  Built built;
  const collet_program_image_t image{COLLET_FORMAT_COLLET_C, what.source.data(),
                                     what.source.size()};
  collet_program_desc_t desc = program_desc(image);
  desc.options = what.options.empty() ? nullptr : what.options.c_str();
  desc.label = what.label.c_str();
  built.log.resize(20000);
  collet_text_t log{built.log.data(), built.log.size(), 0};
  desc.build_log = &log;
  collet_program_t* program = nullptr;
  built.status = COLLET_CALL(collet_program_create, compiling_device(), &desc, &program);
  built.program.reset(program);
  built.log.resize(std::min<std::size_t>(log.size_bytes, built.log.size()));
  return built;
}

// What the kernel `add` makes of zeros.
float sum_of(const Built& built, float value = 2.5F) {
  REQUIRE(built.status == COLLET_OK);
  collet_kernel_t* handle = nullptr;
  REQUIRE(COLLET_CALL(collet_kernel_create, built.program.get(), "add", &handle) == COLLET_OK);
  const Kernel kernel(handle);
  const Stream stream = make_stream(compiling_device());
  const Buffer buffer = allocate(stream, 64);
  write(stream, buffer, Bytes(64, 0));
  collet_argument_t arguments[2]{};
  arguments[0].kind = COLLET_ARGUMENT_BUFFER;
  arguments[0].buffer = buffer.get();
  arguments[1].kind = COLLET_ARGUMENT_SCALAR;
  arguments[1].value = &value;
  arguments[1].size_bytes = sizeof value;
  const collet_launch_t launch{{1, 1, 1}, {16, 1, 1}, 2, arguments};
  REQUIRE(COLLET_CALL(collet_stream_launch, stream.get(), kernel.get(), &launch) == COLLET_OK);
  const Bytes bytes = read(stream, buffer, 64);
  float sum = 0;
  std::memcpy(&sum, bytes.data(), sizeof sum);
  return sum;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void overwrite(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// The entry's content under the sum that belongs to it.
std::string sealed_again(std::string entry) {
  const std::size_t sum_at = entry.find('\n') + 1;
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = sum_at + sizeof sum; i < entry.size(); ++i) {
    sum = (sum ^ static_cast<unsigned char>(entry[i])) * 0x100000001b3;
  }
  std::memcpy(&entry[sum_at], &sum, sizeof sum);
  return entry;
}

// A child that has skipped lets its parent, which must not open a device before, skip too.
void expect_success(pid_t child) {
  constexpr int kSkipped = 77;
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) skip("the device takes no sources");
  CHECK(status == 0);
}

}  // namespace

TEST_CASE("HOST-PRG-2 a source that was built is not compiled again, and the log is as it was",
          "[process]") {
  const Place place;
  const Built first = build();
  CHECK(first.log.find("sums.clt:1") != std::string::npos);
  CHECK(sum_of(first) == 2.5F);
  CHECK(place.runs() == 1);
  const Built second = build();
  CHECK(sum_of(second) == 2.5F);
  CHECK(second.log == first.log);
  CHECK(place.runs() == 1);
}

TEST_CASE("HOST-PRG-2 another process finds what this one has built, and several build at once",
          "[process]") {
  const Place place;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      _exit(sum_of(build()) == 2.5F ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    expect_success(child);
  }
  const int runs = place.runs();
  CHECK(runs >= 1);
  CHECK(runs <= 4);
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.runs() == runs);
  CHECK(place.entries().size() == 1);
}

TEST_CASE("HOST-PRG-3 another source, option or label is built by itself", "[process]") {
  const Place place;
  const std::string twice = adding("MORE");
  CHECK(sum_of(build()) == 2.5F);
  CHECK(sum_of(build(Build(twice, "-DMORE=value*2"))) == 5.0F);
  CHECK(sum_of(build(Build(twice, "-DMORE=value*4"))) == 10.0F);
  CHECK(place.runs() == 3);
  CHECK(sum_of(build(Build(adding("4.0f ")))) == 4.0F);
  CHECK(place.runs() == 4);
  const Built named = build(Build(kAdd, "", "other.clt"));
  CHECK(named.log.find("other.clt:1") != std::string::npos);
  CHECK(place.runs() == 5);
}

TEST_CASE("HOST-PRG-3 another compiler builds again", "[process]") {
  const Place place;
  for (int i = 0; i < 3; ++i) {
    // The compiler of a process is found once.
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      place.write_compiler(i == 0 ? "" : "# another");
      _exit(sum_of(build()) == 2.5F ? 0 : 1);
    }
    expect_success(child);
  }
  CHECK(place.runs() == 3);
}

TEST_CASE("HOST-PRG-3 a source that reads other files is compiled each time", "[process]") {
  const Place place;
  const std::string header = (place.programs().parent_path().parent_path() / "more.h").string();
  int runs = 0;
  for (const std::string directive : {"#include", "#import", "#inc\\\nlude", "#im\\ \t\nport"}) {
    for (const char* more : {"value * 2", "value * 4"}) {
      std::ofstream(header) << "#define MORE " << more << '\n';
      const std::string source = directive + " \"" + header +
                                 "\"\nCOLLET_KERNEL(add, COLLET_OUT(float) out, float value) {\n"
                                 "  COLLET_EACH(i, 16) out[i] = MORE;\n}\n";
      CHECK(sum_of(build(Build(source))) == (more[8] == '2' ? 5.0F : 10.0F));
      ++runs;
    }
  }
  CHECK(place.runs() == runs);
  CHECK(place.entries().empty());
}

TEST_CASE("HOST-PRG-3 a source that does not compile is not kept, and fails each time",
          "[process]") {
  const Place place;
  for (int i = 1; i <= 2; ++i) {
    const Built bad = build(Build("int a = ;\n"));
    CHECK(bad.status == COLLET_ERROR_BUILD_FAILED);
    CHECK(message_has("sums.clt:1"));
    CHECK(bad.log.find("sums.clt:1") != std::string::npos);
    CHECK(place.runs() == i);
  }
  CHECK(place.entries().empty());
}

TEST_CASE("HOST-PRG-4 an entry that is damaged, cut off or empty is built again and replaced",
          "[process]") {
  const Place place;
  const Built first = build();
  REQUIRE(first.status == COLLET_OK);
  const fs::path entry = place.only_entry();
  const std::string good = bytes_of(entry);
  int runs = 1;
  std::vector<std::string> bad{"",
                               "x",
                               good.substr(0, 10),
                               good.substr(0, good.size() / 2),
                               good.substr(0, good.size() - 1),
                               good + "x"};
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, good.size() / 2, good.size() - 1}) {
    bad.push_back(good);
    bad.back()[at] = static_cast<char>(bad.back()[at] ^ 0x20);
  }
  for (const std::string& bytes : bad) {
    overwrite(entry, bytes);
    const Built again = build();
    CHECK(sum_of(again) == 2.5F);
    CHECK(again.log == first.log);
    CHECK(place.runs() == ++runs);
    CHECK((bytes_of(entry) == good));
  }
}

TEST_CASE("HOST-PRG-4 an entry of another key under this one's name is not taken", "[process]") {
  const Place place;
  REQUIRE(build(Build(adding("4.0f "))).status == COLLET_OK);
  const fs::path of_four = place.only_entry();
  const std::string bytes = bytes_of(of_four);
  fs::remove(of_four);
  REQUIRE(build().status == COLLET_OK);
  overwrite(place.only_entry(), bytes);
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.runs() == 3);
}

TEST_CASE("HOST-PRG-4 an entry that the plugin does not take is built again", "[process]") {
  const Place place;
  REQUIRE(build().status == COLLET_OK);
  const fs::path entry = place.only_entry();
  std::string bytes = bytes_of(entry);
  const std::size_t image = bytes.find(
      "\x7f"
      "ELF");
  REQUIRE(image != std::string::npos);
  bytes[image] = 'x';
  overwrite(entry, sealed_again(bytes));
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.runs() == 2);
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.runs() == 2);
}

TEST_CASE("HOST-PRG-4 a folder that others can write to, or that is a file, is not used",
          "[process]") {
  const Place place;
  fs::create_directories(place.programs());
  fs::permissions(place.programs(), fs::perms::all);
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.entries().empty());
  fs::remove(place.programs());
  std::ofstream(place.programs()) << "a file";
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.runs() == 2);
}

TEST_CASE("HOST-PRG-4 an entry is readable by its owner alone, and a link is not followed",
          "[process]") {
  const Place place;
  REQUIRE(build().status == COLLET_OK);
  const fs::path entry = place.only_entry();
  CHECK((fs::status(entry).permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
        fs::perms::none);
  CHECK((fs::status(place.programs()).permissions() &
         (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
  const fs::path moved = place.programs().parent_path() / "moved";
  fs::rename(entry, moved);
  fs::create_symlink(moved, entry);
  CHECK(sum_of(build()) == 2.5F);
  CHECK(place.runs() == 2);
}

TEST_CASE("HOST-PRG-5 the cache stays within its size, and forgets what was used least recently",
          "[process]") {
  const Place place("96KiB");
  const auto numbered = [](int number) { return Build(kAdd, "", std::to_string(number)); };
  constexpr int kMany = 9;
  for (int i = 0; i < kMany; ++i) {
    REQUIRE(build(numbered(i)).status == COLLET_OK);
    // The first one is in use all the time.
    REQUIRE(build(numbered(0)).status == COLLET_OK);
  }
  CHECK(place.runs() == kMany);
  std::uintmax_t bytes = 0;
  for (const fs::path& entry : place.entries()) {
    bytes += fs::file_size(entry);
  }
  CHECK(bytes > 0);
  CHECK(bytes <= 96 * 1024);
  CHECK(place.entries().size() < kMany);
}

TEST_CASE("HOST-PRG-5 a size of 0 keeps no programs, and one that is no size keeps the usual",
          "[process]") {
  const bool is_off = GENERATE(true, false);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool is_good = false;
    {
      const Place place(is_off ? "0" : "much");
      is_good =
          sum_of(build()) == 2.5F && sum_of(build()) == 2.5F && place.runs() == (is_off ? 2 : 1);
    }
    _exit(is_good ? 0 : 1);
  }
  expect_success(child);
}

}  // namespace collet::test
