#include "count/packing.hpp"

#include <algorithm>
#include <numeric>

namespace stallscope::count {
namespace {

// The number of groups tried for a set; the limit exists because trials cost system calls.
constexpr std::size_t max_candidates = 4;

bool contains(const std::vector<std::size_t>& events, std::size_t event) {
  return std::find(events.begin(), events.end(), event) != events.end();
}

class packer {
 public:
  packer(std::span<const packable_set> sets, const group_judge& fits, std::size_t largest)
      : sets_{sets}, fits_{&fits}, largest_{largest} {}

  packing run() {
    result_.groups_of_set.resize(sets_.size());
    // Sets with a leader and large sets have the fewest options, so they come first.
    std::vector<std::size_t> order(sets_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      const auto rank = [this](std::size_t i) {
        return std::pair{sets_[i].leader.has_value(), sets_[i].events.size()};
      };
      return rank(a) > rank(b);
    });
    for (const auto number : order) place(number);
    return std::move(result_);
  }

 private:
  void place(std::size_t number) {
    const auto& set = sets_[number];
    if (set.events.empty()) return;
    for (const auto candidate : candidates(set)) {
      if (!extend(candidate, set)) continue;
      result_.groups_of_set[number] = {candidate};
      return;
    }
    if (judged(set.events)) {
      result_.groups_of_set[number] = {add_group(set, set.events)};
    } else {
      split(number);
    }
  }

  bool judged(const std::vector<std::size_t>& events) {
    return events.size() <= largest_ && (*fits_)(events);
  }

  // Returns the groups that may take the set; groups with most of its events come first.
  [[nodiscard]] std::vector<std::size_t> candidates(const packable_set& set) const {
    std::vector<std::pair<std::size_t, std::size_t>> ranked;  // events to add, the group
    for (std::size_t i = 0; i < result_.groups.size(); ++i) {
      const auto& group = result_.groups[i];
      if (group.software != set.software) continue;
      if (group.leader && set.leader && group.leader != set.leader) continue;
      const auto added = std::count_if(set.events.begin(), set.events.end(), [&group](auto event) {
        return !contains(group.events, event);
      });
      if (group.events.size() + static_cast<std::size_t>(added) <= largest_)
        ranked.emplace_back(static_cast<std::size_t>(added), i);
    }
    std::stable_sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> chosen;
    for (const auto& [added, group] : ranked) {
      if (chosen.size() < max_candidates) chosen.push_back(group);
    }
    return chosen;
  }

  bool extend(std::size_t number, const packable_set& set) {
    auto& group = result_.groups[number];
    auto events = group.events;
    if (set.leader && !group.leader) {
      std::erase(events, *set.leader);
      events.insert(events.begin(), *set.leader);
    }
    for (const auto event : set.events) {
      if (!contains(events, event)) events.push_back(event);
    }
    const bool is_unchanged = events == group.events;
    if (!is_unchanged && !judged(events)) return false;
    group.events = std::move(events);
    if (set.leader) group.leader = set.leader;
    return true;
  }

  std::size_t add_group(const packable_set& set, std::vector<std::size_t> events) {
    result_.groups.push_back({std::move(events), set.leader, set.software});
    return result_.groups.size() - 1;
  }

  // Splits a set into pieces as large as possible; every piece has the leader.
  void split(std::size_t number) {
    const auto& set = sets_[number];
    std::vector<std::size_t> start;
    if (set.leader) start.push_back(*set.leader);
    std::vector<std::size_t> piece = start;
    const auto close = [&] {
      if (piece.size() > start.size())
        result_.groups_of_set[number].push_back(add_group(set, piece));
      piece = start;
    };
    for (const auto event : set.events) {
      if (contains(piece, event)) continue;
      piece.push_back(event);
      if (judged(piece)) continue;
      piece.pop_back();
      close();
      piece.push_back(event);
      if (judged(piece)) continue;
      piece.pop_back();
      if (!contains(result_.unplaced, event)) result_.unplaced.push_back(event);
    }
    close();
  }

  std::span<const packable_set> sets_;
  const group_judge* fits_;
  std::size_t largest_;
  packing result_;
};

}  // namespace

packing pack(std::span<const packable_set> sets, const group_judge& fits,
             std::size_t largest_group) {
  return packer{sets, fits, largest_group}.run();
}

}  // namespace stallscope::count
