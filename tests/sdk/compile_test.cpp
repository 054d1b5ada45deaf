// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <collet/sdk/host_so/build.hpp>
#include <collet/sdk/host_so/shared_object.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/catch.hpp"

namespace collet::plugin::host_so {
namespace {

namespace fs = std::filesystem;

/** A variable of the environment, and what it was before. */
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/** The temporary files of a case are made in here, and gone with it. */
struct Scratch {
  TemporaryFolder folder;
  fs::path temporary = fs::path(folder.path()) / "tmp";
  Variable variable;

  Scratch() : variable("TMPDIR", (fs::create_directory(temporary), temporary.string())) {}

  [[nodiscard]] bool is_clean() const { return fs::is_empty(temporary); }

  /** A program that runs the lines, and then, with its own arguments, the compiler. */
  [[nodiscard]] std::string script(const std::string& name, const std::string& lines) const {
    const fs::path path = fs::path(folder.path()) / name;
    std::ofstream(path) << "#!/bin/sh\n" << lines << '\n';
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
};

struct Outcome {
  std::vector<std::byte> image;
  std::string error;
  std::string log;
};

const Compiler& compiler() { return system_compiler().compiler.value(); }

Outcome compiled(const Source& source, const Compiler& by = compiler(),
                 const ProcessLimits& limits = {}) {
  Outcome outcome;
  try {
    outcome.image = compile(by, source, limits, outcome.log);
  } catch (const Error& e) {
    CHECK(e.status() == COLLET_ERROR_BUILD_FAILED);
    outcome.error = e.what();
  }
  return outcome;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return true;
}

constexpr std::string_view kGood = R"(extern "C" __attribute__((visibility("default")))
int answer() { return ANSWER; })";

TEST_CASE("sdk: a source becomes a shared object that loads, and nothing is left behind") {
  const Scratch scratch;
  const Outcome good = compiled({kGood, "", "good.c", "-D ANSWER=42"});
  REQUIRE(good.error.empty());
  const SharedObject object(good.image, "good");
  const auto answer = reinterpret_cast<int (*)()>(object.symbol("answer"));
  REQUIRE(answer != nullptr);
  CHECK(answer() == 42);
  CHECK(scratch.is_clean());
}

TEST_CASE("sdk: an error has the user's name of the file, and the line in his text") {
  const Scratch scratch;
  const Outcome bad =
      compiled({"int a;\nint b = ;\nint c;\n", "int in_prelude;\n\n\n", "my \"k\".c", ""});
  CHECK(bad.image.empty());
  has(bad.error, "my \"k\".c does not compile: my \"k\".c:2:");
  has(bad.error, "error: expected");
  has(bad.log, "my \"k\".c:2:");
  CHECK(bad.log.find(scratch.temporary) == std::string::npos);
  CHECK(scratch.is_clean());
}

TEST_CASE("sdk: a warning is in the log of a source that compiles") {
  const Outcome warned = compiled({"#warning look here\nint a;\n", "", "w.c", ""});
  CHECK(warned.error.empty());
  has(warned.log, "w.c:1");
  has(warned.log, "look here");
}

TEST_CASE("sdk: options are split at spaces, but for those in quotes, and each is checked") {
  using detail::split_options;
  using Words = std::vector<std::string>;
  CHECK(split_options("") == Words{});
  CHECK(split_options("  -DA \t\n -DB=1 ") == Words{"-DA", "-DB=1"});
  CHECK(split_options(R"(-DA="b c" '-I d "e"' "")") == Words{"-DA=b c", "-I d \"e\"", ""});
  CHECK(split_options("\"-DA b") == Words{"-DA b"});
  for (const char* option : {"-o /tmp/x",
                             "-c",
                             "@file",
                             "file.cpp",
                             "-Wl,-z,now",
                             "-fplugin=x.so",
                             "-x c",
                             "-B/tmp",
                             "-specs=x",
                             "-wrapper x",
                             "\"\"",
                             "-",
                             "-l m",
                             "-D @file",
                             "-U@file -I @file",
                             "-fopt-info-all=/tmp/x",
                             "-fmodules-ts",
                             "-fmodule-mapper=|x",
                             "-fprofile-use=x",
                             "-fdump-tree-all"}) {
    INFO(option);
    const Outcome refused = compiled({kGood, "", "kernel", "-DANSWER=1 " + std::string(option)});
    has(refused.error, "kernel: the compiler option \"");
  }
  CHECK(
      compiled({kGood, "", "kernel", "-D ANSWER=1 -O1 -Wall -fno-strict-aliasing"}).error.empty());
}

TEST_CASE("sdk: hostile sources end in an error, and leave nothing behind") {
  const Scratch scratch;
  ProcessLimits limits;
  limits.time = std::chrono::seconds(20);
  const std::string nul("int a;\nint \0b;\n", 14);
  std::ostringstream doubling;
  doubling << "#define A0 x x\n";
  for (int i = 1; i < 40; ++i) {
    doubling << "#define A" << i << " A" << i - 1 << " A" << i - 1 << '\n';
  }
  doubling << "int a = A39;\n";
  constexpr std::size_t kLongLine = 10'000'000;
  std::string long_line;
  long_line.resize(kLongLine, '(');
  std::string garbage;
  for (int i = 0; i < 100'000; ++i) garbage += "}{)(;\x80\xff<:%>";
  const std::string sources[] = {
      nul,
      doubling.str(),
      garbage,
      long_line,
      "#include \"/dev/zero\"\nint a = ;\n",
      "#include \"/dev/urandom\"\n",
      "#include \"kernel.cpp\"\n",
      "asm(\".incbin \\\"/dev/zero\\\"\");",
      "template <int N> struct A { static const int v = A<N + 1>::v; }; int a = A<0>::v;",
      "#line 1 \"",
      "int undefined(); int a = undefined(); }",
  };
  for (const std::string& source : sources) {
    INFO(source.substr(0, 60));
    const Outcome refused = compiled({source, "", "hostile.c", ""}, compiler(), limits);
    CHECK(refused.image.empty());
    CHECK(!refused.error.empty());
    CHECK(refused.error.size() < 1000);
    CHECK(refused.log.size() <= limits.output_bytes);
    CHECK(scratch.is_clean());
  }
}

TEST_CASE("sdk: a NUL is found before the compiler runs, and its line told") {
  const std::string nul("int a;\nint \0b;\n", 14);
  has(compiled({nul, "", "n.c", ""}, {"/nonexistent", ""}).error, "n.c:2: there is a NUL");
}

/** Whether a process that was killed is gone soon. One that nobody has collected has no memory. */
bool ends(pid_t process) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    std::ifstream map("/proc/" + std::to_string(process) + "/maps");
    if (map.peek() == std::ifstream::traits_type::eof()) return true;
    std::this_thread::yield();
  }
  return false;
}

TEST_CASE("sdk: a compiler that does not end is ended, with all that it has started") {
  const Scratch scratch;
  const std::string pids = scratch.folder.path() + "/pids";
  const Compiler slow{
      scratch.script("slow", "echo $$ >> " + pids + "; sleep 1000 & echo $! >> " + pids + "; wait"),
      ""};
  ProcessLimits limits;
  limits.time = std::chrono::milliseconds(300);
  has(compiled({kGood, "", "kernel", ""}, slow, limits).error, "kernel was not compiled in 300 ms");
  CHECK(scratch.is_clean());
  std::ifstream file(pids);
  int count = 0;
  for (pid_t process = 0; file >> process; ++count) {
    CHECK(ends(process));
  }
  CHECK(count == 2);
}

TEST_CASE("sdk: a compiler that closes its output and stays is ended") {
  const Scratch scratch;
  const Compiler mute{scratch.script("mute", "exec >&- 2>&-; exec sleep 1000"), ""};
  ProcessLimits limits;
  limits.time = std::chrono::milliseconds(300);
  has(compiled({kGood, "", "kernel", ""}, mute, limits).error, "was not compiled");
}

TEST_CASE("sdk: what a compiler writes is kept up to a limit, and it is not held up") {
  const Scratch scratch;
  const Compiler loud{scratch.script("loud", "yes 'error: no' | head -c 3000000; exit 1"), ""};
  const Outcome refused = compiled({kGood, "", "kernel", ""}, loud);
  CHECK(refused.log.size() == ProcessLimits{}.output_bytes);
  has(refused.error, "kernel does not compile: error: no");
}

TEST_CASE("sdk: a compiler that fails in silence, or succeeds without an object, is told of") {
  const Scratch scratch;
  const Compiler silent{scratch.script("silent", "exit 3"), ""};
  has(compiled({kGood, "", "kernel", ""}, silent).error, silent.program + " gave neither");
  const Compiler lazy{scratch.script("lazy", "exit 0"), ""};
  has(compiled({kGood, "", "kernel", ""}, lazy).error, lazy.program + " gave neither");
}

TEST_CASE("sdk: a process that ignores the end of its children compiles like any other") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Outcome good = compiled({kGood, "", "kernel", "-DANSWER=1"});
  const Outcome bad = compiled({"int a = ;", "", "bad.c", ""});
  std::signal(SIGCHLD, before);
  CHECK(good.error.empty());
  CHECK(!good.image.empty());
  has(bad.error, "bad.c:1:");
}

TEST_CASE("sdk: what the environment says of compilers does not change the code") {
  const Scratch scratch;
  const Variable cpath("CPATH", scratch.folder.path());
  const Variable options("CXXFLAGS", "-DANSWER=3");
  const std::string seen = scratch.folder.path() + "/seen";
  const Compiler telling{scratch.script("telling", "env > " + seen + "; exit 1"), ""};
  static_cast<void>(compiled({kGood, "", "kernel", ""}, telling));
  std::ifstream file(seen);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  has(text, "LC_ALL=C");
  CHECK(text.find("CPATH") == std::string::npos);
  CHECK(text.find("CXXFLAGS") == std::string::npos);
}

TEST_CASE("sdk: the compiler is the one that COLLET_HOST_CXX names, or the first on PATH") {
  const Scratch scratch;
  const Variable path("PATH", scratch.folder.path() + ":/usr/bin:/bin");
  const std::string own = scratch.script("own-cxx", "");
  {
    const Variable asked(kCompilerVariable, "own-cxx");
    REQUIRE(find_compiler().compiler);
    CHECK(find_compiler().compiler->program == own);
  }
  {
    const Variable asked(kCompilerVariable, own);
    CHECK(find_compiler().compiler->program == own);
  }
  const std::string usual = scratch.script("c++", "");
  CHECK(find_compiler().compiler->program == usual);
  for (const char* name : {"", "./own-cxx", "no-such-compiler", "/usr/bin", "/etc/passwd"}) {
    INFO(name);
    const Variable asked(kCompilerVariable, name);
    const CompilerSearch search = find_compiler();
    CHECK(!search.compiler);
    has(search.reason, "COLLET_HOST_CXX is \"" + std::string(name) + '"');
  }
}

TEST_CASE("sdk: without a compiler, sources are unsupported, and the text says what to install") {
  const Scratch scratch;
  // The current directory is none of the folders, by whatever entry.
  const Variable path("PATH", ":.:relative:" + scratch.temporary.string());
  const CompilerSearch search = find_compiler();
  CHECK(!search.compiler);
  CHECK(program_formats(search) == std::string("host-so"));
  const collet_program_image_t image{COLLET_FORMAT_COLLET_C, kGood.data(), kGood.size()};
  collet_program_desc_t desc = COLLET_PROGRAM_DESC_INIT;
  desc.images = &image;
  desc.image_count = 1;
  std::string log;
  try {
    static_cast<void>(object_of(desc, search, log));
    FAIL("the source was taken");
  } catch (const Error& e) {
    CHECK(e.status() == COLLET_ERROR_UNSUPPORTED);
    has(e.what(), "the bundle has collet-c");
    has(e.what(), "install one, such as the package g++");
  }
}

TEST_CASE("sdk: the identity of a compiler changes with its file, and fits in its field") {
  const Scratch scratch;
  const std::string one = scratch.script("one", "");
  const Variable asked(kCompilerVariable, one);
  const std::string before = find_compiler().compiler->identity;
  CHECK(before == find_compiler().compiler->identity);
  CHECK(before.starts_with(one + ' '));
  static_cast<void>(scratch.script("one", "# longer"));
  CHECK(before != find_compiler().compiler->identity);
  const std::string folder = scratch.folder.path() + '/' + std::string(200, 'x');
  fs::create_directory(folder);
  fs::create_symlink(one, folder + "/cxx");
  const Variable deep(kCompilerVariable, folder + "/cxx");
  CHECK(find_compiler().compiler->identity.size() == 127);
}

}  // namespace
}  // namespace collet::plugin::host_so
