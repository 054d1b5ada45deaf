// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <map>
#include <string>

#include "support/catch.hpp"

namespace collet::loader {
namespace {

const std::string kGood = R"({"name": "acme", "library": "lib/libacme.so"})";

TEST_CASE("HOST-LOAD-10 a manifest names a back end and its library") {
  const Manifest manifest = parse_manifest(
      R"({"name": "acme", "library": "../x.so", "abi_versions": [2, 1],
          "settings": {"threads": "2", "mode": ""}, "x-packager": {"any": ["thing", 1]}})");
  CHECK(manifest.fault == "");
  CHECK(manifest.name == "acme");
  CHECK(manifest.library == "../x.so");
  CHECK(manifest.settings == std::map<std::string, std::string>{{"mode", ""}, {"threads", "2"}});
}

TEST_CASE("HOST-LOAD-10 a byte order mark and line ends of other systems are no faults") {
  std::string text = "\xef\xbb\xbf{\r\n\t\"name\": \"acme\",\r\n\t\"library\": \"x.so\"\r\n}\r\n";
  CHECK(parse_manifest(text).fault == "");
  CHECK(parse_manifest(text).library == "x.so");
}

struct Bad {
  std::string text;
  std::string fault;
  std::string hint;
};

TEST_CASE("HOST-LOAD-10 each manifest that cannot be used has its own reason and hint") {
  using namespace std::string_literals;
  const auto bad = GENERATE(values<Bad>({
      {"", "the manifest is empty", "write it anew, or remove it"},
      {std::string(70000, ' '), "the manifest has more than 64 KiB",
       "is it another file under this name?"},
      {"\xff\xfe{\0}\0"s, "the manifest is in UTF-16", "write it in UTF-8"},
      {"{\n\"name\": \"a\0\"}"s, "the manifest has a NUL byte in line 2",
       "write it in UTF-8, as text"},
      {std::string(16, '\0'), "the manifest has a NUL byte in line 1",
       "write it in UTF-8, as text"},
      {"{\n\"name\": \"acme\",\n}", "the manifest is not JSON: the fault is in line 3",
       "compare it with the example in README.md"},
      {"\"name\xff\"", "the manifest is not JSON: the fault is in line 1",
       "compare it with the example in README.md"},
      {kGood + " {}", "the manifest is not JSON: the fault is in line 1",
       "compare it with the example in README.md"},
      {"1e999", "the manifest is not JSON that can be read",
       "compare it with the example in README.md"},
      {std::string(30000, '[') + std::string(30000, ']'),
       "the manifest is nested more than 8 levels deep", "the manifest of a plugin has two"},
      {"[1]", "the manifest is no JSON object", "write {\"name\": ..., \"library\": ...}"},
      {R"({"name": "acme", "libary": "x.so"})",
       "the manifest has a key \"libary\", which is not known", "did you mean \"library\"?"},
      {R"({"zzzzzzzz": 1})", "the manifest has a key \"zzzzzzzz\", which is not known",
       "keys of your own begin with \"x-\""},
      {R"({"library": "x.so"})", "the manifest has no key \"name\"", "add it"},
      {R"({"name": "acme"})", "the manifest has no key \"library\"", "add it"},
      {R"({"name": 1, "library": "x.so"})", "\"name\" of the manifest is no text",
       "write it between quotes"},
      {R"({"name": "acme", "library": ""})", "\"library\" of the manifest is no text",
       "write it between quotes"},
      {R"({"name": "acme", "library": "x\u0000.so"})", "\"library\" of the manifest is no text",
       "write it between quotes"},
      {R"({"name": "Acme", "library": "x.so"})",
       "no back end can be called \"Acme\", as the manifest says",
       "names are [a-z][a-z0-9_]*, at most 48 characters"},
      {R"({"name": "acme", "library": "x.so", "abi_versions": [2]})",
       "its manifest does not name ABI 1, which this library has, in \"abi_versions\"",
       "install a build of the plugin for ABI 1"},
      {R"({"name": "acme", "library": "x.so", "abi_versions": "1"})",
       "\"abi_versions\" of the manifest is no list of numbers", "write [1]"},
      {R"({"name": "acme", "library": "x.so", "settings": []})",
       "\"settings\" of the manifest is no object", "write {\"option\": \"value\"}"},
      {R"({"name": "acme", "library": "x.so", "settings": {"Threads": "1"}})",
       "\"settings\" of the manifest has \"Threads\", which is no option's name",
       "names are [a-z][a-z0-9_]*"},
      {R"({"name": "acme", "library": "x.so", "settings": {"threads": 1}})",
       "the setting \"threads\" of the manifest is no text",
       "write it between quotes, as it would stand in the environment"},
  }));
  const Manifest manifest = parse_manifest(bad.text);
  CHECK(manifest.fault == bad.fault);
  CHECK(manifest.hint == bad.hint);
}

TEST_CASE("manifest: the name is kept where only what follows is at fault") {
  const Manifest manifest =
      parse_manifest(R"({"name": "acme", "library": "x.so", "abi_versions": [2]})");
  CHECK(manifest.name == "acme");
  CHECK(manifest.other_abi);
}

}  // namespace
}  // namespace collet::loader
