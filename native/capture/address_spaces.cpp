#include "capture/address_spaces.hpp"

#include <iterator>

namespace stallscope::capture {
namespace {

// The memory of a tree node.
constexpr std::uint64_t range_bytes = 96;

// The rest of a mapping whose first bytes are replaced.
mapping rest_of(mapping whole, std::uint64_t replaced_bytes) {
  whole.page_offset += replaced_bytes;
  return whole;
}

}  // namespace

const std::pair<const std::uint64_t, mapping>* map_table::find(std::uint64_t address) const {
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin()) {
    return nullptr;
  }
  --after;
  return address < after->second.end ? &*after : nullptr;
}

const map_table& address_spaces::at(std::uint32_t space) const {
  static const map_table empty;
  return space < spaces_.size() && spaces_[space] ? *spaces_[space] : empty;
}

std::shared_ptr<map_table>& address_spaces::slot(std::uint32_t space) {
  if (space >= spaces_.size()) {
    budget_.charge((space + 1 - spaces_.size()) * 2 * sizeof(spaces_[0]));
    spaces_.resize(space + std::size_t{1});
  }
  return spaces_[space];
}

map_table& address_spaces::changed(std::uint32_t space) {
  auto& table = slot(space);
  if (!table) {
    table = std::make_shared<map_table>();
  } else if (table.use_count() > 1) {
    if (table->ranges.size() > copies_left_) {
      throw limit_exceeded("forked processes change too many mappings");
    }
    copies_left_ -= table->ranges.size();
    budget_.charge(table->ranges.size() * range_bytes);
    table = std::make_shared<map_table>(*table);
  }
  table->version = ++last_version_;
  return *table;
}

void address_spaces::drop(std::shared_ptr<map_table>& table) {
  if (table && table.use_count() == 1) {
    budget_.release(table->ranges.size() * range_bytes);
  }
  table.reset();
}

// Removes [start, end) from the ranges.
void address_spaces::make_room(map_table& table, std::uint64_t start, std::uint64_t end) {
  auto& ranges = table.ranges;
  auto at = ranges.lower_bound(start);
  if (at != ranges.begin()) {
    const auto before = std::prev(at);
    const mapping cut = before->second;
    if (cut.end > start) {
      before->second.end = start;
      if (cut.end > end) {
        budget_.charge(range_bytes);
        ranges.emplace(end, rest_of(cut, end - before->first));
        return;
      }
    }
  }
  while (at != ranges.end() && at->first < end) {
    const std::uint64_t old_start = at->first;
    const mapping covered = at->second;
    at = ranges.erase(at);
    if (covered.end > end) {
      ranges.emplace(end, rest_of(covered, end - old_start));
      return;
    }
    budget_.release(range_bytes);
  }
}

void address_spaces::map(std::uint32_t space, const mapped_range& range) {
  if (range.target.end <= range.start) {
    return;
  }
  map_table& table = changed(space);
  make_room(table, range.start, range.target.end);
  budget_.charge(range_bytes);
  table.ranges.emplace(range.start, range.target);
}

void address_spaces::clear(std::uint32_t space) { drop(slot(space)); }

void address_spaces::fork(std::uint32_t parent, std::uint32_t child) {
  if (parent == child) {
    return;
  }
  auto& target = slot(child);
  drop(target);
  if (parent < spaces_.size()) {
    target = spaces_[parent];
  }
}

}  // namespace stallscope::capture
