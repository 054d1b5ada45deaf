// SPDX-License-Identifier: Apache-2.0
#include <collet/sdk/host_so/elf_check.hpp>

#include <elf.h>
#include <link.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::plugin::host_so {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

std::string fault_of(const std::vector<unsigned char>& image) {
  return elf_fault(std::as_bytes(std::span(image)));
}

/** What is said about the good module with its header changed. */
std::string with_header(const std::function<void(Header&)>& change) {
  std::vector<unsigned char> image = test::module_image("good");
  Header header;
  std::memcpy(&header, image.data(), sizeof(header));
  change(header);
  std::memcpy(image.data(), &header, sizeof(header));
  return fault_of(image);
}

/** With its first segment of a type changed. */
std::string with_segment(std::uint32_t type, const std::function<void(Segment&)>& change) {
  std::vector<unsigned char> image = test::module_image("good");
  Header header;
  std::memcpy(&header, image.data(), sizeof(header));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    unsigned char* const at = image.data() + header.e_phoff + i * sizeof(Segment);
    Segment segment;
    std::memcpy(&segment, at, sizeof(segment));
    if (segment.p_type != type) continue;
    change(segment);
    std::memcpy(at, &segment, sizeof(segment));
    break;
  }
  return fault_of(image);
}

bool says(const std::string& fault, const char* text) {
  return fault.find(text) != std::string::npos;
}

TEST_CASE("elf_check: a shared object of this machine has no fault") {
  CHECK(fault_of(test::module_image("good")).empty());
  CHECK(fault_of(test::module_image("no_symbol")).empty());
}

TEST_CASE("elf_check: what is no ELF file is told apart") {
  CHECK(says(fault_of({}), "0 bytes"));
  CHECK(says(fault_of(std::vector<unsigned char>(1000, 0)), "no ELF file"));
  CHECK(says(fault_of(std::vector<unsigned char>(1000, 0x7F)), "no ELF file"));
}

TEST_CASE("elf_check: an object for another machine is named as such") {
  CHECK(says(with_header([](Header& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }), "word size"));
  CHECK(says(with_header([](Header& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }), "byte order"));
  CHECK(says(with_header([](Header& h) { h.e_machine = EM_SPARC; }), "architecture"));
  CHECK(says(with_header([](Header& h) { h.e_type = ET_REL; }), "-shared"));
}

TEST_CASE("elf_check: damaged tables are found") {
  CHECK(says(with_header([](Header& h) { h.e_phoff = UINT64_MAX; }), "table of segments"));
  CHECK(says(with_header([](Header& h) { h.e_phnum = UINT16_MAX; }), "table of segments"));
  CHECK(says(with_header([](Header& h) { h.e_phnum = 0; }), "table of segments"));
  CHECK(says(with_header([](Header& h) { h.e_phentsize = 1; }), "table of segments"));
  CHECK(says(with_header([](Header& h) { h.e_shoff = UINT64_MAX - 3; }), "table of sections"));
  CHECK(says(with_header([](Header& h) { h.e_shnum = UINT16_MAX; }), "table of sections"));
}

TEST_CASE("elf_check: damaged segments are found") {
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_offset = UINT64_MAX - 4095; }),
             "past its end"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_filesz = UINT64_MAX; }), "past its end"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_align = 4095; }), "damaged"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_vaddr += 1; }), "damaged"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_memsz = 0; }), "damaged"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_type = PT_NULL; }), "contradict"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_flags = 0; }), "contradict"));
  CHECK(says(with_segment(PT_LOAD, [](Segment& s) { s.p_memsz += std::uint64_t{1} << 40; }),
             "overlap"));
  CHECK(says(with_segment(PT_DYNAMIC, [](Segment& s) { s.p_vaddr += 64; }), "outside"));
  CHECK(says(with_segment(PT_DYNAMIC, [](Segment& s) { s.p_type = PT_NULL; }), "dynamic section"));
  CHECK(says(with_segment(PT_DYNAMIC, [](Segment& s) { s.p_filesz = 16; }), "dynamic section"));
  CHECK(
      says(with_segment(PT_DYNAMIC, [](Segment& s) { s.p_offset = UINT64_MAX; }), "past its end"));
}

}  // namespace
}  // namespace collet::plugin::host_so
