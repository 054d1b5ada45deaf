// SPDX-License-Identifier: Apache-2.0
/** Is an image a whole shared object for this machine? */
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace collet::plugin::host_so {
namespace detail {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);

inline constexpr unsigned char kNativeClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
inline constexpr unsigned char kNativeOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
inline constexpr std::uint16_t kNativeMachine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint16_t kNativeMachine = EM_AARCH64;
#elif defined(__riscv)
inline constexpr std::uint16_t kNativeMachine = EM_RISCV;
#elif defined(__powerpc64__)
inline constexpr std::uint16_t kNativeMachine = EM_PPC64;
#else
#error "collet/sdk/host_so/elf_check.hpp: add the ELF machine of this architecture"
#endif

/** Whether `size` bytes at `offset` lie inside the image. */
inline bool lies_inside(std::span<const std::byte> image, std::uint64_t offset,
                        std::uint64_t size) {
  return offset <= image.size() && size <= image.size() - offset;
}

inline std::string header_fault(std::span<const std::byte> image, const Header& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is no ELF file";
  if (header.e_ident[EI_CLASS] != kNativeClass) return "it is made for another word size";
  if (header.e_ident[EI_DATA] != kNativeOrder) return "it is made for another byte order";
  if (header.e_machine != kNativeMachine) {
    return "it is made for another architecture (ELF machine " + std::to_string(header.e_machine) +
           ", here " + std::to_string(kNativeMachine) + ")";
  }
  if (header.e_type != ET_DYN) {
    return "it is no shared object (ELF type " + std::to_string(header.e_type) +
           "); link with -shared";
  }
  if (header.e_phentsize != sizeof(Segment) || header.e_phnum == 0 ||
      !lies_inside(image, header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Segment))) {
    return "its table of segments is damaged or cut off";
  }
  // Stripped objects may have no sections, but a table that is announced and missing means that
  // the file has lost its end.
  const std::uint64_t sections = std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff != 0 && !lies_inside(image, header.e_shoff, sections)) {
    return "it is cut off: its table of sections lies past its end";
  }
  return {};
}

/** Whether the loader reads or changes what the segment names, so that it must be there. */
inline bool is_used_by_loader(const Segment& segment) {
  return segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC || segment.p_type == PT_TLS ||
         segment.p_type == PT_GNU_RELRO;
}

inline std::string segment_fault(std::span<const std::byte> image, const Segment& segment) {
  if (!is_used_by_loader(segment)) return {};
  if (!lies_inside(image, segment.p_offset, segment.p_filesz)) {
    return "it is cut off: a segment lies past its end";
  }
  const std::uint64_t align = segment.p_align == 0 ? 1 : segment.p_align;
  const bool is_aligned =
      (align & (align - 1)) == 0 && ((segment.p_vaddr - segment.p_offset) & (align - 1)) == 0;
  if (segment.p_filesz > segment.p_memsz || segment.p_vaddr > UINT64_MAX - segment.p_memsz ||
      (segment.p_type == PT_LOAD && !is_aligned)) {
    return "a segment is damaged";
  }
  return {};
}

/** The segment that is loaded where `size` bytes at an address are to be, or nullptr. */
inline const Segment* load_of(const std::vector<Segment>& segments, std::uint64_t address,
                              std::uint64_t size) {
  for (const Segment& load : segments) {
    if (load.p_type != PT_LOAD || address < load.p_vaddr) continue;
    const std::uint64_t into = address - load.p_vaddr;
    if (into <= load.p_memsz && size <= load.p_memsz - into) return &load;
  }
  return nullptr;
}

/** Segments are loaded in rising order, and what else is named lies in one of them. */
inline std::string placement_fault(const std::vector<Segment>& segments) {
  std::uint64_t end = 0;
  for (const Segment& segment : segments) {
    if (segment.p_type == PT_LOAD) {
      if (segment.p_vaddr < end) return "its segments overlap";
      end = segment.p_vaddr + segment.p_memsz;
    } else if (segment.p_type == PT_DYNAMIC || segment.p_type == PT_GNU_RELRO) {
      const Segment* const load = load_of(segments, segment.p_vaddr, segment.p_filesz);
      if (load == nullptr || segment.p_vaddr - load->p_vaddr != segment.p_offset - load->p_offset) {
        return "a segment lies outside of what is loaded";
      }
    }
  }
  return {};
}

/** The table of sections tells a second time what is to be loaded, and how. */
inline std::string section_fault(std::span<const std::byte> image, const Header& header,
                                 const std::vector<Segment>& segments) {
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Section)) return {};
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Section section;
    std::memcpy(&section, image.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    // What is thread-local and zero has an address, but takes no room there.
    const bool takes_room = (section.sh_flags & SHF_TLS) == 0 || section.sh_type != SHT_NOBITS;
    if ((section.sh_flags & SHF_ALLOC) == 0 || !takes_room) continue;
    const Segment* const load = load_of(segments, section.sh_addr, section.sh_size);
    if (load == nullptr || (load->p_flags & PF_R) == 0 ||
        ((section.sh_flags & SHF_WRITE) != 0 && (load->p_flags & PF_W) == 0) ||
        ((section.sh_flags & SHF_EXECINSTR) != 0 && (load->p_flags & PF_X) == 0) ||
        (section.sh_type != SHT_NOBITS &&
         section.sh_addr - load->p_vaddr != section.sh_offset - load->p_offset)) {
      return "its tables of segments and sections contradict each other";
    }
  }
  return {};
}

/** Where the file has what the loader will see at an address. */
inline std::optional<std::uint64_t> offset_of(const std::vector<Segment>& segments,
                                              std::uint64_t address) {
  for (const Segment& segment : segments) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t into = address - segment.p_vaddr;
    if (into < segment.p_filesz) return segment.p_offset + into;
  }
  return std::nullopt;
}

/** The loader goes through these entries up to DT_NULL, and follows some without a look. */
inline std::string dynamic_fault(std::span<const std::byte> image,
                                 const std::vector<Segment>& segments, const Segment& dynamic) {
  bool ends = false;
  bool has_symbols = false;
  bool has_names = false;
  for (std::uint64_t at = 0; !ends && at + sizeof(ElfW(Dyn)) <= dynamic.p_filesz;
       at += sizeof(ElfW(Dyn))) {
    ElfW(Dyn) entry;
    std::memcpy(&entry, image.data() + dynamic.p_offset + at, sizeof(entry));
    ends = entry.d_tag == DT_NULL;
    if (entry.d_tag != DT_SYMTAB && entry.d_tag != DT_STRTAB) continue;
    if (!offset_of(segments, entry.d_un.d_ptr)) return "its dynamic section is damaged";
    (entry.d_tag == DT_SYMTAB ? has_symbols : has_names) = true;
  }
  if (!ends || !has_symbols || !has_names) return "its dynamic section is damaged or cut off";
  return {};
}

}  // namespace detail

/**
 * Looks at all that tells where something lies in the file, so that the loader, which maps without
 * looking, does not fault.
 *
 * @return What is wrong; empty for a sound image. Code, symbols and relocations are not judged: an
 *         image is trusted as code is, and this finds accidents, not attacks.
 */
[[nodiscard]] inline std::string elf_fault(std::span<const std::byte> image) {
  detail::Header header;
  if (image.size() < sizeof(header)) {
    return "it has " + std::to_string(image.size()) + " bytes, fewer than an ELF header";
  }
  std::memcpy(&header, image.data(), sizeof(header));
  if (std::string fault = detail::header_fault(image, header); !fault.empty()) return fault;

  std::vector<detail::Segment> segments(header.e_phnum);
  std::memcpy(segments.data(), image.data() + header.e_phoff,
              segments.size() * sizeof(detail::Segment));
  const detail::Segment* dynamic = nullptr;
  bool has_load = false;
  for (const detail::Segment& segment : segments) {
    if (std::string fault = detail::segment_fault(image, segment); !fault.empty()) return fault;
    has_load = has_load || segment.p_type == PT_LOAD;
    if (segment.p_type == PT_DYNAMIC) dynamic = &segment;
  }
  if (!has_load) return "it has no segment to load";
  if (std::string fault = detail::placement_fault(segments); !fault.empty()) return fault;
  if (std::string fault = detail::section_fault(image, header, segments); !fault.empty()) {
    return fault;
  }
  if (dynamic == nullptr) return "it has no dynamic section; link with -shared";
  return detail::dynamic_fault(image, segments, *dynamic);
}

}  // namespace collet::plugin::host_so
