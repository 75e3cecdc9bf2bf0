#include "v8_frames/builtin_table.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/clock.hpp"

namespace stallscope::v8_frames {
namespace {

constexpr std::string_view prefix = "Builtins_";
constexpr std::string_view interpreter_entry = "InterpreterEntryTrampoline";
constexpr std::size_t max_builtins = 10'000;
constexpr std::uint64_t max_symbols_bytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t max_names_bytes = std::uint64_t{96} << 20U;
constexpr std::size_t names_per_read = std::size_t{128} << 10U;
constexpr std::size_t symbols_per_read = 4096;
constexpr unsigned page_bits = 18;  // pages of V8's heap have 256 KiB
constexpr std::size_t max_pages = 8192;
constexpr std::uint64_t between_reads_ns = 50'000'000;

// Handlers of bytecodes: LdarHandler, CallProperty1WideHandler. Others with the suffix have no
// interpreted frame, and are excluded because their frame lacks a bytecode array.
bool interprets(std::string_view name) {
  return name == interpreter_entry || name.starts_with("InterpreterEntry") ||
         name.ends_with("Handler") || name.starts_with("InterpreterPushArgs");
}

std::vector<char> names_of(const process_reading::elf_file& file, const Elf64_Shdr& section) {
  if (section.sh_size > max_names_bytes) return {};
  std::vector<char> names(static_cast<std::size_t>(section.sh_size));
  // In pieces, because a read from a cold disk takes long.
  for (std::size_t at = 0; at < names.size(); at += names_per_read) {
    const auto piece = std::span{names}.subspan(at, std::min(names_per_read, names.size() - at));
    if (!file.read(section.sh_offset + at, std::as_writable_bytes(piece))) return {};
  }
  if (!names.empty()) names.back() = '\0';
  return names;
}

}  // namespace

std::vector<builtin> read_builtins(const process_reading::elf_file& file) {
  std::vector<builtin> result;
  const auto sections = file.sections();
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_size > max_symbols_bytes ||
        section.sh_link >= sections.size())
      continue;
    const auto names = names_of(file, sections[section.sh_link]);
    std::vector<Elf64_Sym> symbols;
    const auto count = static_cast<std::size_t>(section.sh_size / sizeof(Elf64_Sym));
    for (std::size_t first = 0; first < count; first += symbols.size()) {
      symbols.resize(std::min(symbols_per_read, count - first));
      if (!file.read(section.sh_offset + first * sizeof(Elf64_Sym),
                     std::as_writable_bytes(std::span{symbols})))
        return result;
      for (const auto& symbol : symbols) {
        if (symbol.st_name >= names.size() || symbol.st_shndx == SHN_UNDEF ||
            std::strncmp(names.data() + symbol.st_name, prefix.data(), prefix.size()) != 0)
          continue;
        const auto offset = file.offset_of(symbol.st_value, 1);
        if (!offset || result.size() >= max_builtins) continue;
        const std::string name{names.data() + symbol.st_name + prefix.size()};
        result.push_back({*offset, *offset + symbol.st_size, name, interprets(name), false});
      }
    }
  }
  std::sort(result.begin(), result.end(),
            [](const builtin& a, const builtin& b) { return a.begin < b.begin; });
  // Symbols of assembly have no size: a builtin ends at the next one.
  for (std::size_t i = 0; i + 1 < result.size(); ++i) {
    if (result[i].end <= result[i].begin || result[i].end > result[i + 1].begin)
      result[i].end = result[i + 1].begin;
  }
  return result;
}

code_areas::code_areas(procfs proc, pid_t pid, memory_mapping v8, std::vector<builtin> builtins)
    : proc_{std::move(proc)}, pid_{pid}, v8_{std::move(v8)}, builtins_{std::move(builtins)} {
  read_mappings();
}

void code_areas::read_mappings() {
  read_ns_ = monotonic_ns();
  process_reading::read_budget budget{{}};
  mappings_ = managed_frames::view_of(proc_, pid_, budget).mappings;
}

const memory_mapping* code_areas::find(std::uint64_t pc) const {
  const auto after =
      std::upper_bound(mappings_.begin(), mappings_.end(), pc,
                       [](std::uint64_t at, const memory_mapping& m) { return at < m.start; });
  if (after == mappings_.begin()) return nullptr;
  const auto& mapping = *std::prev(after);
  return pc < mapping.end ? &mapping : nullptr;
}

void code_areas::note_generated(std::uint64_t pc) {
  if (generated_.size() < max_pages) generated_.insert(pc >> page_bits);
}

bool code_areas::is_code(std::uint64_t pc) const {
  return find(pc) != nullptr || generated_.contains(pc >> page_bits);
}

code_areas::place code_areas::of(std::uint64_t pc) {
  const auto* mapping = find(pc);
  if (mapping == nullptr && generated_.contains(pc >> page_bits)) return {};
  if (mapping == nullptr && monotonic_ns() > read_ns_ + between_reads_ns) {
    read_mappings();
    mapping = find(pc);
  }
  if (mapping == nullptr || !mapping->path.starts_with('/')) {
    const bool special = mapping != nullptr && mapping->path.starts_with('[');
    return {special ? code_area::file : code_area::generated};
  }
  if (mapping->inode != v8_.inode || mapping->major != v8_.major || mapping->minor != v8_.minor)
    return {code_area::file};
  const std::uint64_t offset = pc - mapping->start + mapping->page_offset;
  const auto after =
      std::upper_bound(builtins_.begin(), builtins_.end(), offset,
                       [](std::uint64_t at, const builtin& b) { return at < b.begin; });
  if (after == builtins_.begin()) return {code_area::file, nullptr, offset};
  const auto& code = *std::prev(after);
  if (offset >= code.end) return {code_area::file, nullptr, offset};
  return {code_area::builtin, &code, offset};
}

}  // namespace stallscope::v8_frames
