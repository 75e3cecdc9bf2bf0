#include "unwind/elf_image.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "unwind/inflate.hpp"
#include "unwind/table.hpp"

namespace stallscope::unwind {
namespace {

// Limits for malformed files, above the sizes of real files.
constexpr std::uint64_t max_headers = 4096;
constexpr std::uint64_t max_sections = 65'536;
constexpr std::uint64_t max_name_bytes = std::uint64_t{4} << 20U;
constexpr std::uint64_t max_section_bytes = std::uint64_t{256} << 20U;

}  // namespace

elf_image::elf_image(int descriptor) : descriptor_{descriptor} {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    throw std::system_error(errno, std::generic_category(), "fstat of an ELF file");
  }
  if (!S_ISREG(status.st_mode)) throw table_error("not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  open();
}

elf_image::elf_image(std::span<const std::byte> image) : image_{image}, size_{image.size()} {
  open();
}

bool elf_image::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset > size_ || into.size() > size_ - offset) return false;
  if (descriptor_ < 0) {
    std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return true;
  }
  while (!into.empty()) {
    const ssize_t count = pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::generic_category(), "pread of an ELF file");
    if (count == 0) return false;  // the file shrank
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<section_bytes> elf_image::copy(std::uint64_t offset, std::uint64_t count) const {
  if (count == 0 || count > max_section_bytes || offset > size_ || count > size_ - offset) {
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(count);
  section_bytes result;
  result.storage = std::make_unique_for_overwrite<std::byte[]>(size);
  const std::span<std::byte> into(result.storage.get(), size);
  if (!read(offset, into)) return std::nullopt;
  result.bytes = into;
  return result;
}

void elf_image::open() {
  Elf64_Ehdr header{};
  if (!read(0, std::as_writable_bytes(std::span(&header, 1))) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    throw table_error("not an ELF file");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)) {
    throw table_error("ELF file for neither x86-64 nor arm64");
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    throw table_error("ELF file is neither a program nor a library");
  }
  arch_ = header.e_machine == EM_X86_64 ? architecture::x86_64 : architecture::arm64;
  entry_ = header.e_entry;
  read_segments(header);
  read_sections(header);
}

void elf_image::read_segments(const Elf64_Ehdr& header) {
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > max_headers) {
    throw table_error("ELF file with invalid program headers");
  }
  std::vector<Elf64_Phdr> program_headers(header.e_phnum);
  if (!read(header.e_phoff, std::as_writable_bytes(std::span(program_headers)))) {
    throw table_error("ELF file truncated in its program headers");
  }
  for (const Elf64_Phdr& program_header : program_headers) {
    if (program_header.p_type == PT_GNU_EH_FRAME && program_header.p_filesz != 0)
      frame_header_ = program_header.p_vaddr;
    if (program_header.p_type != PT_LOAD || program_header.p_filesz == 0 ||
        program_header.p_vaddr > UINT64_MAX - program_header.p_filesz ||
        program_header.p_offset > UINT64_MAX - program_header.p_filesz) {
      continue;
    }
    if (segments_.size() == max_segments)
      throw table_error("ELF file with more than 64 loaded segments");
    segments_.push_back({.address = program_header.p_vaddr,
                         .file_offset = program_header.p_offset,
                         .file_bytes = program_header.p_filesz,
                         .executable = (program_header.p_flags & PF_X) != 0 ? 1U : 0U});
  }
}

void elf_image::read_sections(const Elf64_Ehdr& header) {
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  // Counts that do not fit the header are stored in the first section header.
  Elf64_Shdr first{};
  if (!read(header.e_shoff, std::as_writable_bytes(std::span(&first, 1)))) return;
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const std::uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (count == 0 || count > max_sections || names >= count) return;
  std::vector<Elf64_Shdr> headers(static_cast<std::size_t>(count));
  if (!read(header.e_shoff, std::as_writable_bytes(std::span(headers)))) return;
  const Elf64_Shdr& strings = headers[static_cast<std::size_t>(names)];
  if (strings.sh_type != SHT_STRTAB || strings.sh_size == 0 || strings.sh_size > max_name_bytes) {
    return;
  }
  std::vector<char> text(static_cast<std::size_t>(strings.sh_size));
  if (!read(strings.sh_offset, std::as_writable_bytes(std::span(text)))) return;
  text.back() = '\0';
  sections_ = std::move(headers);
  names_ = std::move(text);
}

const Elf64_Shdr* elf_image::find(std::string_view name) const {
  const auto match =
      std::find_if(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& candidate) {
        const std::string_view names(names_.data(), names_.size());
        return candidate.sh_name < names.size() &&
               names.substr(candidate.sh_name).starts_with(name) &&
               names_[candidate.sh_name + name.size()] ==
                   '\0';  // the name table ends with a null byte
      });
  return match == sections_.end() ? nullptr : &*match;
}

std::optional<section_bytes> elf_image::section(std::string_view name) const {
  const Elf64_Shdr* header = find(name);
  if (header == nullptr || header->sh_type == SHT_NOBITS) return std::nullopt;
  auto result = copy(header->sh_offset, header->sh_size);
  if (result && (header->sh_flags & SHF_COMPRESSED) != 0) {
    result = inflate_section(result->bytes, max_section_bytes);
  }
  if (result) result->address = header->sh_addr;
  return result;
}

std::uint64_t elf_image::section_address(std::string_view name) const {
  const Elf64_Shdr* header = find(name);
  return header == nullptr ? 0 : header->sh_addr;
}

std::optional<section_bytes> elf_image::loaded(std::uint64_t address,
                                               std::uint64_t max_bytes) const {
  for (const segment& part : segments_) {
    if (address < part.address || address - part.address >= part.file_bytes) continue;
    const std::uint64_t skipped = address - part.address;
    const std::uint64_t offset = part.file_offset + skipped;
    if (offset >= size_) return std::nullopt;
    auto result = copy(offset, std::min({part.file_bytes - skipped, max_bytes, size_ - offset}));
    if (result) result->address = address;
    return result;
  }
  return std::nullopt;
}

bool elf_image::executable(std::uint64_t address) const noexcept {
  return std::any_of(segments_.begin(), segments_.end(), [&](const segment& part) {
    return part.executable != 0 && address >= part.address &&
           address - part.address < part.file_bytes;
  });
}

}  // namespace stallscope::unwind
