#include "dwarf/scopes.hpp"

#include <algorithm>
#include <utility>

#include "dwarf/address_range.hpp"
#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::size_t max_depth = 4096;

// Indexes of sorted addresses.
struct interval {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The entries between an entry with children and the null entry that ends them.
struct level {
  std::uint32_t scope = no_scope;
  std::size_t first_interval = 0;  // of the addresses in the scope: to the end of the stack
};

// What an entry says about its code and its name.
struct entry_fields {
  code_attributes code;
  std::uint64_t sibling = 0;  // 0: none that is usable
  std::optional<entry_reference> origin;
  std::uint64_t call_file = 0;
  std::uint64_t call_line = 0;
};

class scope_finder {
 public:
  scope_finder(sections& from, const unit& owner, std::span<const std::uint64_t> addresses,
               bool follow_siblings)
      : from_{from},
        owner_{owner},
        table_{*owner.abbreviations},
        addresses_{addresses},
        follow_siblings_{follow_siblings},
        reader_(owner.bytes, static_cast<std::size_t>(owner.second_entry)) {
    map_.innermost.assign(addresses.size(), no_scope);
  }

  void run() {
    if (owner_.second_entry == 0) return;
    levels_.push_back({});
    while (!levels_.empty() && !reader_.at_end()) {
      const std::size_t offset = reader_.offset();
      const std::uint64_t code = reader_.uleb128();
      if (code == 0) {
        if (reader_.failed()) break;
        intervals_.resize(levels_.back().first_interval);
        levels_.pop_back();
      } else {
        read_entry(table_.at(code), offset);
      }
    }
    if (reader_.failed()) throw malformed("a unit that ends in an entry");
  }

  scope_map map() && { return std::move(map_); }
  [[nodiscard]] bool skipped() const noexcept { return skipped_; }
  // Whether some address has no function.
  [[nodiscard]] bool incomplete() const {
    return std::find(map_.innermost.begin(), map_.innermost.end(), no_scope) !=
           map_.innermost.end();
  }

 private:
  void read_entry(const abbreviation& entry, std::size_t offset) {
    if (!entry.has_children && entry.role != entry_role::function &&
        entry.role != entry_role::inlined) {
      skip_values(entry);
      return;
    }
    const entry_fields fields = read_fields(entry);
    const level& parent = levels_.back();
    const std::uint32_t parent_scope = parent.scope;
    const interval outer{parent.first_interval, intervals_.size()};
    const std::size_t first = intervals_.size();
    switch (entry.role) {
      case entry_role::container:
        descend(no_scope, first);
        return;
      case entry_role::function:
        add_all(fields.code);
        break;
      case entry_role::inlined:
        add_within(fields.code, outer);
        break;
      case entry_role::block:
        if (fields.code.low_pc || fields.code.ranges) {
          add_within(fields.code, outer);
        } else {
          copy(outer);
        }
        break;
      case entry_role::other:
        break;
    }
    std::uint32_t scope = parent_scope;
    if (intervals_.size() == first) {
      scope = no_scope;
      if (entry.has_children && follow_siblings_ && fields.sibling != 0) {
        reader_ = byte_reader(owner_.bytes, static_cast<std::size_t>(fields.sibling));
        skipped_ = true;
        return;
      }
    } else if (entry.role == entry_role::function || entry.role == entry_role::inlined) {
      scope = add_scope(entry, fields, offset, parent_scope, first);
    }
    if (entry.has_children) {
      descend(scope, first);
    } else {
      intervals_.resize(first);
    }
  }

  void descend(std::uint32_t scope, std::size_t first_interval) {
    if (levels_.size() == max_depth) throw malformed("entries that are nested too deeply");
    levels_.push_back({scope, first_interval});
  }

  std::uint32_t add_scope(const abbreviation& entry, const entry_fields& fields, std::size_t offset,
                          std::uint32_t parent, std::size_t first_interval) {
    const auto index = static_cast<std::uint32_t>(map_.all.size());
    if (index == no_scope) throw malformed("too many functions");
    scope added;
    added.name = {offset, false};
    if (entry.role == entry_role::inlined) {
      added.parent = parent;
      added.call_file = fields.call_file;
      added.call_line =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(fields.call_line, UINT32_MAX));
      if (fields.origin) added.name = *fields.origin;
    }
    map_.all.push_back(added);
    for (std::size_t at = first_interval; at < intervals_.size(); ++at) {
      std::fill(map_.innermost.begin() + static_cast<std::ptrdiff_t>(intervals_[at].begin),
                map_.innermost.begin() + static_cast<std::ptrdiff_t>(intervals_[at].end), index);
    }
    return index;
  }

  // Adds the addresses of the entry.
  void add_all(const code_attributes& code) {
    read_ranges(code);
    for (const address_range& range : ranges_) {
      if (const interval inside = indexes_of(range); inside.begin < inside.end) {
        intervals_.push_back(inside);
      }
    }
  }

  // Adds the addresses of the entry that are in the scope around it.
  void add_within(const code_attributes& code, const interval& outer) {
    if (outer.begin == outer.end) return;
    read_ranges(code);
    for (const address_range& range : ranges_) {
      const interval inside = indexes_of(range);
      for (std::size_t at = outer.begin; at < outer.end && inside.begin < inside.end; ++at) {
        const interval common{std::max(inside.begin, intervals_[at].begin),
                              std::min(inside.end, intervals_[at].end)};
        if (common.begin < common.end) intervals_.push_back(common);
      }
    }
  }

  void copy(const interval& outer) {
    for (std::size_t at = outer.begin; at < outer.end; ++at) {
      const interval same = intervals_[at];
      intervals_.push_back(same);
    }
  }

  void read_ranges(const code_attributes& code) {
    ranges_.clear();
    append_ranges(from_, owner_, code, ranges_);
  }

  [[nodiscard]] interval indexes_of(const address_range& range) const {
    if (range.end <= addresses_.front() || range.begin > addresses_.back()) return {};
    const auto begin = std::lower_bound(addresses_.begin(), addresses_.end(), range.begin);
    const auto end = std::lower_bound(begin, addresses_.end(), range.end);
    return {static_cast<std::size_t>(begin - addresses_.begin()),
            static_cast<std::size_t>(end - addresses_.begin())};
  }

  void skip_values(const abbreviation& entry) {
    if (entry.fixed_bytes >= 0) {
      reader_.skip(static_cast<std::uint64_t>(entry.fixed_bytes));
      return;
    }
    for (const attribute_spec& spec : table_.attributes(entry)) {
      skip_value(reader_, spec.kind, owner_.header.format);
    }
  }

  entry_fields read_fields(const abbreviation& entry) {
    entry_fields fields;
    for (const attribute_spec& spec : table_.attributes(entry)) {
      switch (spec.name) {
        case attribute::sibling:
          fields.sibling = sibling(read(spec));
          break;
        case attribute::low_pc:
          fields.code.low_pc = read(spec);
          break;
        case attribute::high_pc:
          fields.code.high_pc = read(spec);
          break;
        case attribute::ranges:
          fields.code.ranges = read(spec);
          break;
        case attribute::abstract_origin:
          fields.origin = reference_of(owner_, read(spec));
          break;
        case attribute::call_file:
          fields.call_file = read(spec).number;
          break;
        case attribute::call_line:
          fields.call_line = read(spec).number;
          break;
        default:
          skip_value(reader_, spec.kind, owner_.header.format);
      }
    }
    if (reader_.failed()) throw malformed("a unit that ends in an entry");
    if (fields.sibling <= reader_.offset()) fields.sibling = 0;  // it would loop
    return fields;
  }

  value read(const attribute_spec& spec) {
    return table_.read(reader_, spec, owner_.header.format);
  }

  // The offset of the next sibling, 0 unless it is in this unit.
  [[nodiscard]] std::uint64_t sibling(const value& reference) const {
    const auto target = reference_of(owner_, reference);
    const bool usable = target && !target->supplementary && target->offset <= owner_.header.end;
    return usable ? target->offset : 0;
  }

  sections& from_;
  const unit& owner_;
  const abbreviation_table& table_;
  std::span<const std::uint64_t> addresses_;
  bool follow_siblings_;
  byte_reader reader_;
  scope_map map_;
  std::vector<level> levels_;
  std::vector<interval> intervals_;
  std::vector<address_range> ranges_;
  bool skipped_ = false;
};

}  // namespace

scope_map find_scopes(sections& from, const unit& owner, std::span<const std::uint64_t> addresses) {
  if (addresses.empty()) return {};
  const auto scan = [&](bool follow_siblings, bool& again) {
    scope_finder finder(from, owner, addresses, follow_siblings);
    bool damaged = false;
    try {
      finder.run();
    } catch (const malformed&) {
      damaged = true;
    }
    again = finder.skipped() && finder.incomplete();
    scope_map map = std::move(finder).map();
    map.damaged = damaged;
    return map;
  };
  bool again = false;
  scope_map map = scan(true, again);
  // A function can be inside an entry that has no code here: then nothing is skipped.
  return again ? scan(false, again) : map;
}

}  // namespace stallscope::dwarf
