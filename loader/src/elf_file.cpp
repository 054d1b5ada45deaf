// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <collet/plugin.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "text.hpp"

namespace collet::loader {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Dynamic = ElfW(Dyn);
using Symbol = ElfW(Sym);
using Note = ElfW(Nhdr);

#if defined(__x86_64__)
constexpr ElfW(Half) kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr ElfW(Half) kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr ElfW(Half) kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr ElfW(Half) kMachine = EM_PPC64;
#else
#error "Add this machine's ELF number here."
#endif
constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kByteOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

// A part that is larger is not read, and so not judged.
constexpr std::uint64_t kMaxPartBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMaxSegments = 1024;

// Bytes of a file by offset. What lies past its end, or is unreasonably large, is not there.
class Bytes {
 public:
  // A FIFO would wait for its writer without O_NONBLOCK.
  explicit Bytes(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Bytes() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  template <class Entry>
  [[nodiscard]] std::optional<std::vector<Entry>> read(std::uint64_t offset,
                                                       std::uint64_t count) const {
    if (count > kMaxPartBytes / sizeof(Entry) || offset > INT64_MAX - kMaxPartBytes) {
      return std::nullopt;
    }
    std::vector<Entry> entries(count);
    const std::size_t size = count * sizeof(Entry);
    if (pread(descriptor_, entries.data(), size, static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(size)) {
      return std::nullopt;
    }
    return entries;
  }

 private:
  int descriptor_;
};

std::string machine_name(ElfW(Half) machine) {
  switch (machine) {
    case EM_386:
      return "i386";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "S/390";
    default:
      return "machine number " + std::to_string(machine);
  }
}

std::string header_fault(const Header& header) {
  if (header.e_ident[EI_CLASS] != kClass || header.e_ident[EI_DATA] != kByteOrder) {
    return "its word size or byte order is another one than this process has";
  }
  if (header.e_machine != kMachine) {
    return "it is built for " + machine_name(header.e_machine) + ", and this process runs on " +
           machine_name(kMachine);
  }
  if (header.e_type != ET_DYN) {
    return "it is an ELF file, but not a shared library";
  }
  return {};
}

// The parts of a shared library that the dynamic linker would follow.
class Parts {
 public:
  Parts(const Bytes& bytes, const Header& header) : bytes_(bytes) {
    if (header.e_phentsize == sizeof(Segment) && header.e_phnum <= kMaxSegments) {
      segments_ = bytes.read<Segment>(header.e_phoff, header.e_phnum).value_or(segments_);
    }
    for (const Segment& segment : segments_) {
      if (segment.p_type == PT_DYNAMIC) {
        dynamic_ = bytes.read<Dynamic>(segment.p_offset, segment.p_filesz / sizeof(Dynamic))
                       .value_or(dynamic_);
      }
    }
    if (const auto names = part(DT_STRTAB)) {
      if (const auto text = bytes.read<char>(*names, value(DT_STRSZ).value_or(0))) {
        names_.assign(text->begin(), text->end());
      }
    }
  }

  [[nodiscard]] std::string build_id() const {
    for (const Segment& segment : segments_) {
      if (segment.p_type == PT_NOTE) {
        if (const auto notes = bytes_.read<unsigned char>(segment.p_offset, segment.p_filesz)) {
          if (std::string id = build_id_in(*notes); !id.empty()) {
            return id;
          }
        }
      }
    }
    return {};
  }

  // The texts of all entries of a tag, such as DT_NEEDED.
  [[nodiscard]] std::vector<std::string> texts(ElfW(Sxword) tag) const {
    std::vector<std::string> found;
    for (const Dynamic& entry : dynamic_) {
      if (entry.d_tag == DT_NULL) {
        break;
      }
      if (entry.d_tag == tag) {
        found.emplace_back(name_at(entry.d_un.d_val));
      }
    }
    return found;
  }

  // The names of what it exports, or nothing where that cannot be told.
  [[nodiscard]] std::optional<std::vector<std::string>> exports() const {
    const auto count = symbol_count();
    const auto where = part(DT_SYMTAB);
    if (!count || !where || names_.empty()) {
      return std::nullopt;
    }
    const auto symbols = bytes_.read<Symbol>(*where, *count);
    if (!symbols) {
      return std::nullopt;
    }
    std::vector<std::string> found;
    for (const Symbol& symbol : *symbols) {
      const bool global = ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
      // Absolute ones are the names of versions.
      if (global && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS) {
        found.emplace_back(name_at(symbol.st_name));
      }
    }
    return found;
  }

 private:
  static std::string build_id_in(const std::vector<unsigned char>& notes) {
    static constexpr char kHex[] = "0123456789abcdef";
    const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
    for (std::uint64_t at = 0; at + sizeof(Note) <= notes.size();) {
      Note note;
      std::memcpy(&note, notes.data() + at, sizeof note);
      const std::uint64_t name = at + sizeof note;
      const std::uint64_t content = name + padded(note.n_namesz);
      const std::uint64_t end = content + note.n_descsz;
      if (end > notes.size()) {
        break;
      }
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
          std::memcmp(notes.data() + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
        std::string id;
        for (std::uint64_t i = content; i < end; ++i) {
          id += {kHex[notes[i] >> 4], kHex[notes[i] & 15]};
        }
        return id;
      }
      at = content + padded(note.n_descsz);
    }
    return {};
  }

  [[nodiscard]] std::optional<std::uint64_t> value(ElfW(Sxword) tag) const {
    for (const Dynamic& entry : dynamic_) {
      if (entry.d_tag == DT_NULL) {
        break;
      }
      if (entry.d_tag == tag) {
        return entry.d_un.d_val;
      }
    }
    return std::nullopt;
  }

  // Where the file has what an entry has the address of.
  [[nodiscard]] std::optional<std::uint64_t> part(ElfW(Sxword) tag) const {
    const auto address = value(tag);
    for (const Segment& segment : segments_) {
      if (address && segment.p_type == PT_LOAD && *address >= segment.p_vaddr &&
          *address - segment.p_vaddr < segment.p_filesz) {
        return segment.p_offset + (*address - segment.p_vaddr);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string_view name_at(std::uint64_t offset) const {
    if (offset >= names_.size()) {
      return {};
    }
    const std::string_view rest = std::string_view(names_).substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  // The dynamic section has no such number; both kinds of hash table tell it.
  [[nodiscard]] std::optional<std::uint64_t> symbol_count() const {
    if (const auto table = part(DT_HASH)) {
      if (const auto head = bytes_.read<std::uint32_t>(*table, 2)) {
        return (*head)[1];
      }
    }
    if (const auto table = part(DT_GNU_HASH)) {
      return count_by_gnu_hash(*table);
    }
    return std::nullopt;
  }

  // The last symbol is the end of the chain of the bucket that starts last.
  [[nodiscard]] std::optional<std::uint64_t> count_by_gnu_hash(std::uint64_t table) const {
    const auto head = bytes_.read<std::uint32_t>(table, 4);
    if (!head) {
      return std::nullopt;
    }
    const std::uint64_t first = (*head)[1];
    const std::uint64_t buckets_at = table + 16 + std::uint64_t{(*head)[2]} * sizeof(void*);
    const auto buckets = bytes_.read<std::uint32_t>(buckets_at, (*head)[0]);
    if (!buckets) {
      return std::nullopt;
    }
    std::uint64_t last = 0;
    for (const std::uint32_t bucket : *buckets) {
      last = std::max<std::uint64_t>(last, bucket);
    }
    if (last < first) {
      return first;
    }
    const std::uint64_t chains = buckets_at + buckets->size() * sizeof(std::uint32_t);
    for (; last - first < kMaxPartBytes / sizeof(Symbol); ++last) {
      const auto link = bytes_.read<std::uint32_t>(chains + (last - first) * 4, 1);
      if (!link) {
        return std::nullopt;
      }
      if (((*link)[0] & 1) != 0) {
        return last + 1;
      }
    }
    return std::nullopt;
  }

  const Bytes& bytes_;
  std::vector<Segment> segments_;
  std::vector<Dynamic> dynamic_;
  std::string names_;
};

// Everything beyond the one function that a plugin exports under Collet's names is a mistake: a
// second version, or a copy of the library that would take its own calls.
void judge_exports(const std::vector<std::string>& exports, ElfFile& file) {
  constexpr std::string_view kQuery = COLLET_PLUGIN_QUERY_SYMBOL;
  constexpr std::string_view kAnyQuery = "collet_plugin_query_v";
  bool found = false;
  std::string other;
  std::string clash;
  for (const std::string& name : exports) {
    if (name == kQuery) {
      found = true;
    } else if (name.starts_with(kAnyQuery)) {
      other = escaped(name);
    } else if (name.starts_with("collet_")) {
      clash = escaped(name);
    }
  }
  const std::string query(kQuery);
  if (!found && !other.empty()) {
    file.fault = "it exports " + other + " and not " + query + ", so it is for another ABI";
    file.hint = "install a build of the plugin for ABI " + std::to_string(COLLET_ABI_MAJOR);
  } else if (!found) {
    file.fault = "it does not export " + query + ", so it is not a Collet plugin";
    file.hint = "remove it; if it is to be a plugin, link it with the version script of the SDK";
  } else if (!other.empty()) {
    file.fault = "it exports " + query + " and also " + other + ", and a plugin has one of them";
    file.hint = "build it for one version of the ABI";
  } else if (!clash.empty()) {
    file.fault = "it exports " + clash + ", a name that belongs to libcollet";
    file.hint = "link it with the version script of the SDK, and without a copy of libcollet";
  }
  if (!file.fault.empty()) {
    file.status = COLLET_ERROR_INCOMPATIBLE;
  }
}

// The folders of RPATH or RUNPATH, without those that depend on more than the file's own place.
std::vector<std::string> folders_of(const std::vector<std::string>& paths,
                                    const std::string& origin) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
      end = path.find(':', start);
      std::string folder = path.substr(start, end == std::string::npos ? end : end - start);
      for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
        if (folder.starts_with(token)) {
          folder.replace(0, token.size(), origin);
        }
      }
      if (folder.starts_with('/') && folder.find('$') == std::string::npos) {
        folders.push_back(std::move(folder));
      }
    }
  }
  return folders;
}

// Why the file cannot be read as a regular one; fills its identity otherwise.
std::string file_fault(const Bytes& bytes, FileIdentity& identity) {
  struct stat status {};
  if (bytes.descriptor() < 0 || fstat(bytes.descriptor(), &status) != 0) {
    return std::string("it cannot be read: ") + std::strerror(errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return "it is a folder, not a file";
  }
  if (!S_ISREG(status.st_mode)) {
    return "it is not a regular file";
  }
  if (status.st_size == 0) {
    return "the file is empty";
  }
  identity = {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
              std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
  return {};
}

}  // namespace

ElfFile read_elf_file(const std::string& path) {
  ElfFile file;
  file.hint = "remove it, or install a build of the plugin for this machine";
  const Bytes bytes(path.c_str());
  file.fault = file_fault(bytes, file.identity);
  if (!file.fault.empty()) {
    return file;
  }
  Header header{};
  const ssize_t size = pread(bytes.descriptor(), &header, sizeof header, 0);
  if (size != static_cast<ssize_t>(sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    file.fault = "it is not a shared library (no ELF header)";
    return file;
  }
  file.fault = header_fault(header);
  if (!file.fault.empty()) {
    return file;
  }
  file.hint.clear();
  const Parts parts(bytes, header);
  file.build_id = parts.build_id();
  file.needed = parts.texts(DT_NEEDED);
  const std::string origin = path.substr(0, path.rfind('/'));
  file.search_folders = folders_of(parts.texts(DT_RUNPATH), origin);
  if (file.search_folders.empty()) {
    file.search_folders = folders_of(parts.texts(DT_RPATH), origin);
  }
  if (const auto exports = parts.exports()) {
    judge_exports(*exports, file);
  }
  return file;
}

}  // namespace collet::loader
