#include "managed_frames/runtime_file.hpp"

#include <algorithm>
#include <string>

#include "process_reading/dynamic_symbols.hpp"

namespace stallscope::managed_frames {
namespace {

constexpr std::size_t max_candidates = 16;
constexpr std::uint64_t page_mask = 4095;

bool is_named(const memory_mapping& mapping, std::span<const std::string_view> prefixes) {
  if (!mapping.path.starts_with('/')) return false;
  const auto name = std::string_view{mapping.path}.substr(mapping.path.find_last_of('/') + 1);
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::optional<std::uint64_t> bias_of(const process_reading::elf_file& file,
                                     const memory_mapping& mapping) {
  for (const auto& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const auto first = segment.p_offset & ~page_mask;
    if (mapping.page_offset >= first &&
        mapping.page_offset - first < segment.p_filesz + (segment.p_offset - first))
      return mapping.start - (segment.p_vaddr - segment.p_offset + mapping.page_offset);
  }
  return std::nullopt;
}

bool maps_file_named(const target_view& view, std::span<const std::string_view> name_prefixes) {
  return std::any_of(view.mappings.begin(), view.mappings.end(),
                     [&](const auto& mapping) { return is_named(mapping, name_prefixes); });
}

std::optional<runtime_file> find_runtime_file(const target_view& view,
                                              std::span<const std::string_view> name_prefixes,
                                              std::span<const std::string_view> symbols,
                                              process_reading::read_budget& budget) {
  std::string previous;
  std::size_t candidates = 0;
  for (const auto& mapping : view.mappings) {
    if (!is_named(mapping, name_prefixes) || mapping.path == previous) continue;
    previous = mapping.path;
    if (++candidates > max_candidates || budget.exhausted()) break;
    const auto fd = open_mapped_file(view.proc, view.pid, mapping);
    if (!fd) continue;
    const auto file = process_reading::elf_file::open(fd.get(), budget);
    const auto bias = file ? bias_of(*file, mapping) : std::nullopt;
    if (!bias) continue;
    const process_reading::dynamic_symbols exported{*file};
    runtime_file result;
    for (const auto symbol : symbols) {
      const auto named = exported.find(symbol);
      if (!named) break;
      result.addresses.push_back(named->value + *bias);
      result.bytes.push_back(named->bytes);
    }
    if (result.addresses.size() != symbols.size()) continue;
    for (const auto& segment : file->segments()) {
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
        result.writable.push_back(
            {segment.p_vaddr + *bias, segment.p_vaddr + segment.p_memsz + *bias});
    }
    return result;
  }
  return std::nullopt;
}

}  // namespace stallscope::managed_frames
