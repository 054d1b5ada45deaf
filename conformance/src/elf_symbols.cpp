// SPDX-License-Identifier: Apache-2.0
#include "elf_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "plugin.hpp"

namespace collet::conformance {
namespace {

/** Typed reads out of a file's bytes. */
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.compare(0, SELFMAG, ELFMAG) != 0) throw LoadError(path + " is no ELF file");
  }

  template <class Entry>
  [[nodiscard]] Entry read(std::size_t offset) const {
    Entry entry;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(entry)) {
      throw LoadError(path_ + " ends too early");
    }
    std::memcpy(&entry, bytes_.data() + offset, sizeof(entry));
    return entry;
  }

  [[nodiscard]] std::string text(std::size_t offset) const {
    if (offset >= bytes_.size()) throw LoadError(path_ + " ends too early");
    return bytes_.c_str() + offset;
  }

 private:
  std::string path_;
  std::string bytes_;
};

bool is_exported(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const bool is_global = binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
  // Absolute ones are the names of versions.
  return is_global && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
}

}  // namespace

std::vector<std::string> exported_symbols(const std::string& path) {
  const ElfFile file(path);
  const auto head = file.read<Elf64_Ehdr>(0);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const auto section = file.read<Elf64_Shdr>(head.e_shoff + i * head.e_shentsize);
    if (section.sh_type != SHT_DYNSYM) continue;
    const auto texts = file.read<Elf64_Shdr>(head.e_shoff + section.sh_link * head.e_shentsize);
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = file.read<Elf64_Sym>(section.sh_offset + at);
      if (is_exported(symbol)) names.push_back(file.text(texts.sh_offset + symbol.st_name));
    }
  }
  return names;
}

}  // namespace collet::conformance
