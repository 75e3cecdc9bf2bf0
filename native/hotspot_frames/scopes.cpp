#include "hotspot_frames/scopes.hpp"

#include <algorithm>

#include "hotspot_frames/compressed_numbers.hpp"
#include "hotspot_frames/prologue.hpp"
#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace {

constexpr std::size_t max_table_bytes = std::size_t{1} << 20U;
constexpr std::size_t max_cached_bytes = std::size_t{64} << 20U;
constexpr std::size_t max_metadata = 4096;
constexpr int max_inlined = 64;

// PcDesc in every supported version: four ints, the first two of which are used.
struct pc_description {
  std::int32_t pc_offset;
  std::int32_t scope_offset;
  std::int32_t objects_offset;
  std::int32_t flags;
};

}  // namespace

scope_table::scope_table(const process_memory& memory, const vm_layout& layout)
    : memory_{&memory}, layout_{&layout} {}

scope_table::blob_tables scope_table::read(const code_blob& blob) const {
  blob_tables tables;
  tables.generation = blob.generation;
  if (blob.scopes_pcs_end <= blob.scopes_pcs ||
      blob.scopes_pcs_end - blob.scopes_pcs > max_table_bytes)
    return tables;
  std::vector<pc_description> descriptions(
      static_cast<std::size_t>((blob.scopes_pcs_end - blob.scopes_pcs) / sizeof(pc_description)));
  if (!memory_->read(blob.scopes_pcs, std::as_writable_bytes(std::span{descriptions})))
    return tables;
  std::int32_t last_scope = 0;
  for (const auto& description : descriptions) {
    tables.positions.push_back({description.pc_offset, description.scope_offset});
    last_scope = std::max(last_scope, description.scope_offset);
  }
  if (!std::is_sorted(tables.positions.begin(), tables.positions.end(),
                      [](const auto& a, const auto& b) { return a.offset < b.offset; }))
    tables.positions.clear();
  // Three numbers of a scope take at most 15 bytes.
  constexpr std::size_t scope_bytes = 16;
  tables.scopes.resize(
      std::min(static_cast<std::size_t>(last_scope) + scope_bytes, max_table_bytes));
  tables.scopes.resize(memory_->read_some(blob.scopes_data, tables.scopes));
  return tables;
}

const scope_table::blob_tables& scope_table::tables_of(const code_blob& blob) {
  auto& tables = tables_[blob.address];
  if (tables.generation == blob.generation && blob.generation != 0) return tables;
  if (cached_bytes_ > max_cached_bytes) {
    tables_.clear();
    cached_bytes_ = 0;
  }
  auto& fresh = tables_[blob.address] = read(blob);
  cached_bytes_ += fresh.scopes.size() + fresh.positions.size() * sizeof(code_position);
  return fresh;
}

std::int64_t scope_table::scope_at(const blob_tables& tables, std::int64_t offset,
                                   std::span<const std::byte> code) const {
  const auto& positions = tables.positions;
  const auto next = std::lower_bound(
      positions.begin(), positions.end(), offset,
      [](const code_position& entry, std::int64_t value) { return entry.offset < value; });
  const bool has_next = next != positions.end() && next->scope > 0;
  if (has_next && next->offset == offset) return next->scope;
  const std::int64_t before = next == positions.begin() ? 0 : std::prev(next)->scope;
  if (before <= 0 || offset < 0) return has_next ? next->scope : 0;
  const bool reaches_next =
      has_next && !returns_between(layout_->frames.arch, code, static_cast<std::size_t>(offset),
                                   static_cast<std::size_t>(next->offset));
  return reaches_next ? next->scope : before;
}

std::vector<method_position> scope_table::at(const code_blob& blob, std::uint64_t pc,
                                             std::span<const std::byte> code) {
  const auto& tables = tables_of(blob);
  std::int64_t scope = scope_at(tables, static_cast<std::int64_t>(pc - blob.code_begin), code);
  std::vector<method_position> methods;
  for (int i = 0; i < max_inlined && scope > 0; ++i) {
    if (static_cast<std::size_t>(scope) >= tables.scopes.size()) break;
    compressed_numbers numbers{std::span{tables.scopes}.subspan(static_cast<std::size_t>(scope)),
                               layout_->unsigned5_excludes_zero};
    const auto caller = numbers.next();
    const auto method = numbers.next();
    const auto bytecode = numbers.next();
    std::uint64_t address = 0;
    if (!caller || !method || !bytecode || *method == 0 || *method > max_metadata ||
        !memory_->read_value(blob.metadata + (*method - 1) * word, address))
      break;
    methods.push_back({address, static_cast<std::int32_t>(*bytecode - 1)});
    scope = *caller < scope ? static_cast<std::int64_t>(*caller) : 0;  // callers come first
  }
  if (methods.empty() || methods.back().method != blob.method) return {{blob.method, -1}};
  return methods;
}

}  // namespace stallscope::hotspot_frames
