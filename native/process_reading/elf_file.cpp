#include "process_reading/elf_file.hpp"

#include <unistd.h>

#include <bit>
#include <cstring>

namespace stallscope::process_reading {
namespace {

constexpr std::size_t max_headers = 4096;
constexpr std::uint64_t largest_offset = std::uint64_t{1} << 48U;
constexpr unsigned char host_order =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

template <class T>
std::vector<T> read_table(const elf_file& file, std::uint64_t offset, std::size_t count) {
  if (count > max_headers) return {};
  std::vector<T> table(count);
  if (!file.read(offset, std::as_writable_bytes(std::span{table}))) table.clear();
  return table;
}

}  // namespace

std::optional<elf_file> elf_file::open(int fd, read_budget& budget) {
  elf_file file{fd, budget};
  auto& header = file.header_;
  if (!file.read(0, std::as_writable_bytes(std::span{&header, 1})) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != host_order)
    return std::nullopt;
  if (header.e_phentsize == sizeof(Elf64_Phdr))
    file.segments_ = read_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum);
  return file;
}

std::vector<Elf64_Shdr> elf_file::sections() const {
  if (header_.e_shentsize != sizeof(Elf64_Shdr)) return {};
  return read_table<Elf64_Shdr>(*this, header_.e_shoff, header_.e_shnum);
}

bool elf_file::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset > largest_offset || !budget_->take(into.size())) return false;
  return ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(into.size());
}

std::optional<std::uint64_t> elf_file::offset_of(std::uint64_t address, std::uint64_t bytes) const {
  for (const auto& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t within = address - segment.p_vaddr;
    if (within < segment.p_filesz && bytes <= segment.p_filesz - within)
      return segment.p_offset + within;
  }
  return std::nullopt;
}

}  // namespace stallscope::process_reading
