// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace collet::loader {
namespace {

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

class File {
 public:
  // A FIFO would wait for its writer without O_NONBLOCK.
  explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int get() const noexcept { return descriptor_; }

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

std::string header_fault(const ElfW(Ehdr) & header) {
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

}  // namespace

std::string elf_fault(const std::string& path) {
  const File file(path.c_str());
  if (file.get() < 0) {
    return std::string("it cannot be read: ") + std::strerror(errno);
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
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
  ElfW(Ehdr) header{};
  const ssize_t size = pread(file.get(), &header, sizeof header, 0);
  if (size < static_cast<ssize_t>(offsetof(ElfW(Ehdr), e_version)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "it is not a shared library (no ELF header)";
  }
  return header_fault(header);
}

}  // namespace collet::loader
