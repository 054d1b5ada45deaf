// SPDX-License-Identifier: Apache-2.0
/** Programs that the device compiles: options, logs, faults of the source, hostile sources. */
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAdd =
    "COLLET_KERNEL(add, COLLET_OUT(collet_uint32_t) out, collet_uint32_t value) {\n"
    "  COLLET_EACH(i, COUNT) out[i] = value + ADDED;\n"
    "}\n";

collet_program_image_t source(std::string_view text) {
  return {COLLET_FORMAT_COLLET_C, text.data(), text.size()};
}

void expect_part(const std::string& text, const std::string& part, const std::string& what) {
  expect(text.find(part) != std::string::npos,
         what + " does not have \"" + part + "\": \"" + text + "\"");
}

/** A folder of its own for what compilers leave there, as TMPDIR. */
class TemporaryPlace {
 public:
  TemporaryPlace() {
    std::string path = (fs::temp_directory_path() / "conformance-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) inconclusive("no temporary folder can be made");
    path_ = path;
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", path.c_str(), 1);
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace() {
    before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR");
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] bool is_empty() const { return fs::is_empty(path_); }

 private:
  fs::path path_;
  std::optional<std::string> before_;
};

/** A macro that doubles with each of its forty steps. */
std::string doubling() {
  std::ostringstream text;
  text << "#define X0 x x\n";
  for (int i = 1; i < 40; ++i) {
    text << "#define X" << i << " X" << i - 1 << " X" << i - 1 << '\n';
  }
  text << "int a = X39;\n";
  return text.str();
}

/** Texts that only a bound on time or memory ends. */
std::vector<std::string> endless_sources() {
  return {doubling(), "#include \"/dev/zero\"\nint a = ;\n", "#include \"/dev/urandom\"\n"};
}

std::vector<std::string> hostile_sources() {
  constexpr std::size_t kLongLine = 10'000'000;
  std::string long_line;
  long_line.resize(kLongLine, '(');
  std::string garbage;
  for (int i = 0; i < 20'000; ++i) garbage += "}{)(;\x80\xff<:%>";
  return {std::string("int a;\nint \0b;\n", 14),
          garbage,
          long_line,
          "#include __FILE__\n",
          "#line 1 \"",
          "/* it does not end",
          "COLLET_KERNEL(",
          "#error on purpose\n"};
}

}  // namespace

CONFORMANCE_CASE("PLUG-PRG-10 a source is compiled with the options of the bundle",
                 clauses("PLUG-PRG-10"), needs(Capability::kSourcePrograms),
                 does("Compiles a kernel whose numbers are options, in two ways, and runs it.")) {
  Device& device = test.device();
  for (const std::uint32_t added : {3U, 1000U}) {
    const std::string options = "-D COUNT=16 -DADDED=" + std::to_string(added);
    const Program program(device, source(kAdd), options.c_str());
    const Kernel kernel(program, "add");
    const Memory memory(device, 64);
    const Stream stream(device);
    const std::uint32_t value = 39;
    expect_ok(Launch({1, 1, 1}, {16, 1, 1}).memory(memory).value(value).enqueue(stream, kernel),
              "launch");
    const Bytes bytes = stream.download(memory);
    for (std::size_t i = 0; i < 16; ++i) {
      std::uint32_t seen = 0;
      std::memcpy(&seen, bytes.data() + 4 * i, 4);
      expect(seen == value + added, "element " + std::to_string(i) + " is " + std::to_string(seen));
    }
  }
}

CONFORMANCE_CASE("PLUG-PRG-10 the log of a source that builds has its warnings",
                 clauses("PLUG-PRG-10"), needs(Capability::kSourcePrograms),
                 does("Compiles a source with a #warning in it.")) {
  std::string log;
  collet_plugin_program_t* program = nullptr;
  const std::string text = "#warning look at this\n" + std::string(kAdd);
  expect_ok(try_create_program(test.device(), {source(text)}, log, &program, "-DCOUNT=1 -DADDED=1"),
            "a source with a warning");
  test.device().program().destroy(program);
  expect_part(log, "look at this", "the build log");
}

CONFORMANCE_CASE("PLUG-PRG-10 a device that takes sources tells the identity of its compiler",
                 clauses("PLUG-PRG-10"), needs(Capability::kSourcePrograms),
                 does("Reads the properties twice.")) {
  const std::string identity = test.device().properties().compiler;
  expect(!identity.empty(), "the device declares collet-c, and its properties name no compiler");
  auto again = make_struct<collet_device_properties_t>();
  expect_ok(call("root.device_properties", test.plugin().root().device_properties,
                 test.device_index(), &again),
            "device_properties");
  expect(identity == again.compiler, "the identity of the compiler is another at each call");
}

CONFORMANCE_CASE("PLUG-PRG-11 a fault is told with its label and line", clauses("PLUG-PRG-11"),
                 needs(Capability::kSourcePrograms),
                 does("Compiles a source with faults in its third and fifth line.")) {
  std::string log;
  collet_plugin_program_t* program = nullptr;
  const std::string text = "/* one */\n/* two */\nint first = ;\n\nint second = ;\n";
  expect_status(try_create_program(test.device(), {source(text)}, log, &program),
                COLLET_ERROR_BUILD_FAILED, "a source with two faults");
  expect(program == nullptr, "the out parameter was written");
  expect_part(last_report().message, "conformance:3", "the text of the error");
  expect_part(log, "conformance:3", "the build log");
  expect_part(log, "conformance:5", "the build log");
}

CONFORMANCE_CASE("PLUG-PRG-12 a hostile source is refused, and leaves nothing behind",
                 clauses("PLUG-PRG-12"), needs(Capability::kSourcePrograms),
                 does("Compiles broken and binary texts, and endless ones where the "
                      "driver does not compile, then a good one.")) {
  Device& device = test.device();
  const TemporaryPlace place;
  std::vector<std::string> texts = hostile_sources();
  if ((device.properties().flags & COLLET_DEVICE_DRIVER_COMPILES) == 0) {
    for (std::string& text : endless_sources()) texts.push_back(std::move(text));
  }
  for (const std::string& text : texts) {
    const std::string what = "the source \"" + text.substr(0, 20) + "...\"";
    std::string log;
    collet_plugin_program_t* program = nullptr;
    expect_status(try_create_program(device, {source(text)}, log, &program),
                  COLLET_ERROR_BUILD_FAILED, what);
    expect(program == nullptr, what + ": the out parameter was written");
    expect(!log.empty(), what + ": the build log is empty");
    expect(place.is_empty(), what + ": files are left behind");
    expect(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD,
           what + ": a process is left behind");
  }
  const Program good(device, source(kAdd), "-DCOUNT=1 -DADDED=1");
}

}  // namespace collet::conformance
