// What is to be counted together: a plan (stallscope.count-plan/1) names sets of events, one for
// each formula, and encodes the events. It is a file that others wrote: its size and every number
// in it are bounded, and what is wrong with it is one clear error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::count {

struct planned_event {
  std::string name;
  // By encoding, or else by a name that find_event knows.
  bool encoded = false;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::string known_as;
};

struct planned_set {
  std::string name;
  std::vector<std::size_t> events;    // numbers of events, each once, the leader's first
  std::optional<std::size_t> leader;  // must lead the group, as slots do for PERF_METRICS
};

struct count_plan {
  std::vector<planned_event> events;
  std::vector<planned_set> sets;
};

// Throws failure (usage) where the text is no plan; where names it in the message.
count_plan parse_plan(std::string_view text, const std::string& where);

// The text of a regular file of at most a megabyte; throws failure (usage) for any other.
std::string read_plan_file(const std::string& path);

}  // namespace stallscope::count
