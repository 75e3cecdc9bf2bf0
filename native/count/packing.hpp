// Packs sets of events into groups: what one formula needs is counted in one group, in as few
// groups as the kernel takes, since every further group is counted for less of the time. What fits
// is not known here: a judge is asked (it opens the group on trial). At most a few trials a set.
// Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace stallscope::count {

struct packable_set {
  std::vector<std::size_t> events;    // each once; the leader's first
  std::optional<std::size_t> leader;  // leads whatever group the set is in
  bool software =
      false;  // counted by the kernel itself: never put where it would have to take turns
};

struct packed_group {
  std::vector<std::size_t> events;  // the leader's first
  std::optional<std::size_t> leader;
  bool software = false;
};

struct packing {
  std::vector<packed_group> groups;
  // For each set the groups that have its events: one, or several where it was split.
  std::vector<std::vector<std::size_t>> groups_of_set;
  std::vector<std::size_t> unplaced;  // events that fit into no group at all
};

// Whether the events, in this order, make a group that can be counted.
using group_judge = std::function<bool(std::span<const std::size_t> events)>;

packing pack(std::span<const packable_set> sets, const group_judge& fits,
             std::size_t largest_group = std::numeric_limits<std::size_t>::max());

}  // namespace stallscope::count
