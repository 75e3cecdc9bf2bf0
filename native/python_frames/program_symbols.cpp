#include "python_frames/program_symbols.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace stallscope::python_frames {
namespace {

constexpr std::size_t max_headers = 4096;
constexpr std::uint64_t max_table_bytes = std::uint64_t{256} << 20U;
constexpr std::size_t symbols_per_read = 8192;
constexpr std::uint64_t page_mask = 4095;
constexpr std::uint64_t largest_offset = std::uint64_t{1} << 48U;

bool read_at(int fd, std::uint64_t offset, std::span<std::byte> into) {
  if (offset > largest_offset) return false;
  return ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(into.size());
}

template <class T>
std::vector<T> read_table(int fd, std::uint64_t offset, std::size_t count) {
  std::vector<T> table(std::min(count, max_headers));
  if (!read_at(fd, offset, std::as_writable_bytes(std::span{table}))) table.clear();
  return table;
}

// Searches the symbols of a section for all names, in batches of `symbols_per_read`.
class section_search {
 public:
  section_search(int fd, std::span<const std::string_view> names, program_symbols& result)
      : fd_{fd}, names_{names}, result_{&result} {}

  void search(const Elf64_Shdr& section, const Elf64_Shdr& text) {
    if (section.sh_size > max_table_bytes || text.sh_size > max_table_bytes) return;
    std::vector<Elf64_Sym> batch(symbols_per_read);
    const std::uint64_t count = section.sh_size / sizeof(Elf64_Sym);
    load_text(text);
    for (std::uint64_t first = 0; first < count; first += batch.size()) {
      batch.resize(static_cast<std::size_t>(std::min<std::uint64_t>(batch.size(), count - first)));
      if (!read_at(fd_, section.sh_offset + first * sizeof(Elf64_Sym),
                   std::as_writable_bytes(std::span{batch})))
        return;
      for (const auto& symbol : batch) consider(symbol);
    }
  }

 private:
  void load_text(const Elf64_Shdr& text) {
    text_.resize(static_cast<std::size_t>(text.sh_size));
    if (!read_at(fd_, text.sh_offset, std::as_writable_bytes(std::span{text_}))) text_.clear();
  }
  void consider(const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= text_.size()) return;
    const char* name = text_.data() + symbol.st_name;
    const std::size_t room = text_.size() - symbol.st_name;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto& target = names_[i];
      if (room > target.size() && name[target.size()] == '\0' &&
          std::memcmp(name, target.data(), target.size()) == 0)
        result_->addresses[i] = symbol.st_value;
    }
  }

  int fd_;
  std::span<const std::string_view> names_;
  program_symbols* result_;
  std::vector<char> text_;
};

}  // namespace

program_symbols find_symbols(int fd, std::span<const std::string_view> names, symbol_scope scope) {
  program_symbols result;
  result.addresses.resize(names.size());
  Elf64_Ehdr header{};
  if (!read_at(fd, 0, std::as_writable_bytes(std::span{&header, 1})) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return result;
  if (header.e_phentsize == sizeof(Elf64_Phdr)) {
    for (const auto& segment : read_table<Elf64_Phdr>(fd, header.e_phoff, header.e_phnum)) {
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
        result.executable.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr});
    }
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return result;
  const auto sections = read_table<Elf64_Shdr>(fd, header.e_shoff, header.e_shnum);
  const Elf64_Word type = scope == symbol_scope::dynamic ? SHT_DYNSYM : SHT_SYMTAB;
  section_search search{fd, names, result};
  for (const auto& section : sections) {
    if (section.sh_type == type && section.sh_link < sections.size())
      search.search(section, sections[section.sh_link]);
  }
  return result;
}

std::optional<std::uint64_t> address_of_offset(const program_symbols& symbols,
                                               std::uint64_t file_offset) {
  for (const auto& segment : symbols.executable) {
    const std::uint64_t first = segment.file_offset & ~page_mask;
    if (file_offset >= first && file_offset < segment.file_offset + segment.size_bytes)
      return segment.address - segment.file_offset + file_offset;
  }
  return std::nullopt;
}

}  // namespace stallscope::python_frames
