#include "dwarf/locations.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "dwarf/address_range.hpp"
#include "dwarf/address_table.hpp"
#include "dwarf/line_program.hpp"
#include "dwarf/malformed.hpp"
#include "dwarf/scopes.hpp"

namespace stallscope::dwarf {
namespace {

// The locations of a unit, with each text stored once.
class locations_builder {
 public:
  locations_builder(debug_file& file, name_reader& names, const unit_addresses& part)
      : file_{file},
        names_{names},
        addresses_{part.addresses},
        unit_{file.whole_unit_at(part.unit)} {
    result_.locations.resize(addresses_.size());
    result_.split = unit_.split;
  }

  unit_locations build() && {
    read_header();
    if (has_lines_) add_lines();
    add_functions();
    return std::move(result_);
  }

 private:
  // A unit without a line table has functions only.
  void read_header() {
    if (!unit_.line_table) return;
    try {
      header_ = read_line_header(file_.content(), unit_);
      has_lines_ = true;
    } catch (const malformed&) {
      result_.damaged = true;
    }
    if (!unit_.directory) return;
    try {
      const auto text = text_of(file_.content(), unit_, *unit_.directory);
      directory_ = text.value_or(std::string_view{});
    } catch (const malformed&) {
      // Paths stay relative.
    }
  }

  void add_lines() {
    const auto rows = find_lines(header_, addresses_, result_.damaged);
    for (std::size_t index = 0; index < rows.size(); ++index) {
      if (rows[index].line == 0) continue;
      result_.locations[index].file = path(rows[index].file);
      result_.locations[index].line = rows[index].line;
    }
  }

  void add_functions() {
    const scope_map map = find_scopes(file_.content(), unit_, addresses_);
    result_.damaged |= map.damaged;
    for (const scope& entry : map.all) {
      located_function function;
      if (entry.parent != no_scope) function.caller = static_cast<std::int32_t>(entry.parent);
      function.name = text(names_.name_of(entry.name));
      if (has_lines_ && entry.call_line != 0) {
        function.call_file = path(entry.call_file);
        function.call_line = entry.call_line;
      }
      result_.functions.push_back(function);
    }
    for (std::size_t index = 0; index < map.innermost.size(); ++index) {
      if (map.innermost[index] == no_scope) continue;
      result_.locations[index].function = static_cast<std::int32_t>(map.innermost[index]);
    }
  }

  std::int32_t path(std::uint64_t file) {
    const auto known = paths_.find(file);
    if (known != paths_.end()) return known->second;
    std::int32_t index = no_text;
    std::string full = header_.path(file, directory_);
    if (!full.empty() && full.size() <= max_name_bytes) {
      index = static_cast<std::int32_t>(result_.texts.size());
      result_.texts.push_back(std::move(full));
    }
    paths_.emplace(file, index);
    return index;
  }

  std::int32_t text(std::string_view name) {
    if (name.empty()) return no_text;
    const auto [entry, is_new] =
        name_indexes_.emplace(name, static_cast<std::int32_t>(result_.texts.size()));
    if (is_new) result_.texts.emplace_back(name.substr(0, max_name_bytes));
    return entry->second;
  }

  static constexpr std::size_t max_name_bytes = std::size_t{64} << 10U;

  debug_file& file_;
  name_reader& names_;
  std::span<const std::uint64_t> addresses_;
  const unit& unit_;
  line_header header_;
  bool has_lines_ = false;
  std::string_view directory_;
  std::map<std::uint64_t, std::int32_t> paths_;  // by number of the file
  std::unordered_map<std::string_view, std::int32_t> name_indexes_;
  unit_locations result_;
};

}  // namespace

location_reader::location_reader(sections main, std::unique_ptr<debug_file> supplementary)
    : main_{std::move(main)},
      supplementary_{std::move(supplementary)},
      names_{main_, supplementary_.get()} {}

std::vector<unit_addresses> location_reader::assign(std::vector<std::uint64_t> addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const address_table table(main_.content().aranges);
  std::map<std::size_t, std::vector<std::uint64_t>> by_unit;
  std::vector<std::uint64_t> rest;
  for (const std::uint64_t address : addresses) {
    const auto offset = table.unit_at(address);
    const auto index = offset ? main_.index_of(*offset) : std::nullopt;
    if (index && main_.headers()[*index].offset == *offset) {
      by_unit[*index].push_back(address);
    } else {
      rest.push_back(address);
    }
  }
  assign_by_ranges(table, std::move(rest), by_unit);
  std::vector<unit_addresses> parts;
  for (auto& [index, contained] : by_unit) {
    std::sort(contained.begin(), contained.end());
    parts.push_back({index, std::move(contained)});
  }
  return parts;
}

void location_reader::assign_by_ranges(const address_table& table, std::vector<std::uint64_t> rest,
                                       std::map<std::size_t, std::vector<std::uint64_t>>& by_unit) {
  std::vector<bool> assigned(rest.size());
  std::vector<address_range> ranges;
  for (std::size_t index = 0; index < main_.headers().size() && !rest.empty(); ++index) {
    const unit_header& header = main_.headers()[index];
    if (!header.has_code || table.lists(header.offset)) continue;
    ranges.clear();
    try {
      const unit& owner = main_.unit_at(index);
      append_ranges(main_.content(), owner, {owner.low_pc, owner.high_pc, owner.ranges}, ranges);
    } catch (const malformed&) {
      ++unreadable_;
      continue;
    }
    for (const address_range& range : ranges) {
      auto at = std::lower_bound(rest.begin(), rest.end(), range.begin);
      for (; at != rest.end() && *at < range.end; ++at) {
        const auto place = static_cast<std::size_t>(at - rest.begin());
        if (!assigned[place]) by_unit[index].push_back(*at);
        assigned[place] = true;
      }
    }
    main_.trim();
  }
}

unit_locations location_reader::locate(const unit_addresses& part) {
  unit_locations result;
  try {
    result = locations_builder(main_, names_, part).build();
  } catch (const malformed&) {
    result = {};
    result.locations.resize(part.addresses.size());
    result.damaged = true;
  }
  main_.trim();
  if (supplementary_ != nullptr) supplementary_->trim();
  return result;
}

}  // namespace stallscope::dwarf
