#include "dwarf/debug_file.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::dwarf {
namespace {

constexpr std::size_t max_kept_units = 256;

}  // namespace

debug_file::debug_file(sections content) : content_{std::move(content)} {
  unit_headers read = read_unit_headers(content_.info);
  headers_ = std::move(read.headers);
  unreadable_ = read.unreadable;
}

std::optional<std::size_t> debug_file::index_of(std::uint64_t offset) const {
  auto after = std::upper_bound(
      headers_.begin(), headers_.end(), offset,
      [](std::uint64_t target, const unit_header& header) { return target < header.offset; });
  if (after == headers_.begin()) return std::nullopt;
  --after;
  if (offset >= after->end) return std::nullopt;
  return static_cast<std::size_t>(after - headers_.begin());
}

unit& debug_file::unit_at(std::size_t index) {
  std::unique_ptr<unit>& cached = units_[index];
  if (cached == nullptr) {
    const unit_header& header = headers_.at(index);
    cached = std::make_unique<unit>(read_unit(content_, header, table_of(header)));
  }
  return *cached;
}

unit& debug_file::whole_unit_at(std::size_t index) {
  unit& result = unit_at(index);
  if (result.bytes.empty()) load_entries(content_, result);
  return result;
}

void debug_file::trim() noexcept {
  if (units_.size() < max_kept_units) return;
  units_.clear();
  tables_.clear();
}

std::shared_ptr<const abbreviation_table> debug_file::table_of(const unit_header& header) {
  const entry_format& format = header.format;
  auto& table =
      tables_[{header.abbreviations, format.version, format.address_size, format.offset_size}];
  if (table == nullptr) {
    table = std::make_shared<const abbreviation_table>(content_.abbrev.from(header.abbreviations),
                                                       format);
  }
  return table;
}

}  // namespace stallscope::dwarf
