#include "process_reading/program_symbols.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "process_reading/dynamic_symbols.hpp"
#include "process_reading/elf_file.hpp"

namespace stallscope::process_reading {
namespace {

constexpr std::uint64_t max_table_bytes = std::uint64_t{64} << 20U;
constexpr std::size_t symbols_per_read = 8192;
constexpr std::size_t text_bytes_per_read = std::size_t{256} << 10U;
// A name may also be the end of another name.
constexpr std::size_t max_offsets_per_name = 64;
constexpr std::uint64_t page_mask = 4095;

// Searches the symbol table for names. It first searches the string table, which most files end
// with: without the first name, the symbols are not read.
class linker_search {
 public:
  linker_search(const elf_file& file, std::span<const std::string_view> names,
                program_symbols& result)
      : file_{&file}, names_{names}, result_{&result}, offsets_(names.size()) {}

  void search() {
    const auto sections = file_->sections();
    // An ELF file has a single symbol table. Further ones are not read.
    const auto symbols = std::find_if(sections.begin(), sections.end(), [](const auto& section) {
      return section.sh_type == SHT_SYMTAB;
    });
    if (symbols == sections.end() || symbols->sh_link >= sections.size() ||
        symbols->sh_size > max_table_bytes)
      return;
    const auto& text = sections[symbols->sh_link];
    if (text.sh_type != SHT_STRTAB || text.sh_size > max_table_bytes) return;
    if (find_names(text) && !offsets_.front().empty()) read_symbols(*symbols);
  }

 private:
  // Notes the offsets of all names in the string table.
  bool find_names(const Elf64_Shdr& text) {
    std::size_t longest = 0;
    for (const auto& name : names_) longest = std::max(longest, name.size());
    std::string chunk;
    std::uint64_t begin = 0;  // offset of the chunk
    while (begin + chunk.size() < text.sh_size) {
      const std::size_t kept = std::min(chunk.size(), longest);
      begin += chunk.size() - kept;
      chunk.erase(0, chunk.size() - kept);
      const auto more = static_cast<std::size_t>(
          std::min<std::uint64_t>(text_bytes_per_read, text.sh_size - begin - kept));
      chunk.resize(kept + more);
      if (!file_->read(text.sh_offset + begin + kept,
                       std::as_writable_bytes(std::span{chunk}.subspan(kept))))
        return false;
      for (std::size_t i = 0; i < names_.size(); ++i) note(i, chunk, begin);
    }
    return true;
  }
  void note(std::size_t index, const std::string& chunk, std::uint64_t begin) {
    const std::string terminated = std::string{names_[index]} + '\0';
    auto& offsets = offsets_[index];
    for (auto at = chunk.find(terminated);
         at != std::string::npos && offsets.size() < max_offsets_per_name;
         at = chunk.find(terminated, at + 1))
      offsets.push_back(begin + at);
  }
  void read_symbols(const Elf64_Shdr& section) {
    std::vector<Elf64_Sym> batch(symbols_per_read);
    const std::uint64_t count = section.sh_size / sizeof(Elf64_Sym);
    for (std::uint64_t first = 0; first < count; first += batch.size()) {
      batch.resize(static_cast<std::size_t>(std::min<std::uint64_t>(batch.size(), count - first)));
      if (!file_->read(section.sh_offset + first * sizeof(Elf64_Sym),
                       std::as_writable_bytes(std::span{batch})))
        return;
      for (const auto& symbol : batch) consider(symbol);
    }
  }
  void consider(const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF) return;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const auto& offsets = offsets_[i];
      if (std::find(offsets.begin(), offsets.end(), symbol.st_name) != offsets.end())
        result_->addresses[i] = symbol.st_value;
    }
  }

  const elf_file* file_;
  std::span<const std::string_view> names_;
  program_symbols* result_;
  std::vector<std::vector<std::uint64_t>> offsets_;  // in the string table, by name
};

}  // namespace

program_symbols find_symbols(int fd, std::span<const std::string_view> names, symbol_scope scope,
                             read_budget& budget) {
  program_symbols result;
  result.addresses.resize(names.size());
  const auto file = elf_file::open(fd, budget);
  if (!file) return result;
  for (const auto& segment : file->segments()) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
      result.executable.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr});
  }
  if (scope == symbol_scope::linker) {
    linker_search{*file, names, result}.search();
    return result;
  }
  const dynamic_symbols symbols{*file};
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.addresses[i] = symbols.value_of(names[i]);
    if (!result.addresses.front()) break;
  }
  return result;
}

std::optional<std::uint64_t> address_of_offset(const program_symbols& symbols,
                                               std::uint64_t file_offset) {
  for (const auto& segment : symbols.executable) {
    const std::uint64_t first = segment.file_offset & ~page_mask;
    if (file_offset >= first &&
        file_offset - first < segment.size_bytes + (segment.file_offset - first))
      return segment.address - segment.file_offset + file_offset;
  }
  return std::nullopt;
}

}  // namespace stallscope::process_reading
