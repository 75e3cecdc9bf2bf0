// The plan of a counting (stallscope.count-plan/1): sets of events that are counted together, one
// per formula, and the encodings of the events. The file is untrusted input: its size and every
// number in it are bounded, and a fault is reported as an error with its place. Any thread.
//
//   const count_plan plan = parse_plan(read_plan_file("plan.json"), "plan.json");
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
  // If false, known_as holds a name for perf_events::find_event().
  bool encoded = false;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::string known_as;
};

struct planned_set {
  std::string name;
  std::vector<std::size_t> events;    // indexes of events without duplicates, the leader first
  std::optional<std::size_t> leader;  // must lead the group, like slots for PERF_METRICS
};

struct count_plan {
  std::vector<planned_event> events;
  std::vector<planned_set> sets;
};

// Throws failure (usage) if the text is not a plan. `source` names it in the message.
count_plan parse_plan(std::string_view text, const std::string& source);

// Returns the text of a regular file of at most 1 MiB. Throws failure (usage) for any other file.
std::string read_plan_file(const std::string& path);

}  // namespace stallscope::count
