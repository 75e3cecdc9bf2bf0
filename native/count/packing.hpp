// Packs sets of events into groups. The events of a set (of one formula) are counted in one group.
// The packing uses few groups, because more groups share the same counters by time. A callback
// decides whether a group fits, by opening it. Costs a few calls of it per set. Any thread.
//
//   const packing result = pack(sets, [&](auto events) { return opens(events); });
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace stallscope::count {

struct packable_set {
  std::vector<std::size_t> events;    // without duplicates; the leader first
  std::optional<std::size_t> leader;  // leads every group with this set
  bool software = false;  // counted by the kernel: never in a group that shares hardware counters
};

struct packed_group {
  std::vector<std::size_t> events;  // the leader first
  std::optional<std::size_t> leader;
  bool software = false;
};

struct packing {
  std::vector<packed_group> groups;
  // The groups with a set's events: one group, or several if the set was split.
  std::vector<std::vector<std::size_t>> groups_of_set;
  std::vector<std::size_t> unplaced;  // events that fit in no group
};

// Returns whether the events, in this order, are a group that can be counted.
using group_judge = std::function<bool(std::span<const std::size_t> events)>;

packing pack(std::span<const packable_set> sets, const group_judge& fits,
             std::size_t largest_group = std::numeric_limits<std::size_t>::max());

}  // namespace stallscope::count
