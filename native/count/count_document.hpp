// recording.json of a counting: target, groups, sets, unavailable events with reasons, and the end.
// Pure computation. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collect/document_parts.hpp"
#include "count/event_trial.hpp"
#include "count/options.hpp"
#include "count/plan.hpp"

namespace stallscope::count {

// A counted phase; times on the monotonic clock. `window` is the window that was read at its end.
struct counted_phase {
  std::uint64_t marked_start_ns = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t marked_stop_ns = 0;
  std::uint64_t stop_ns = 0;
  std::uint64_t window = 0;
};

struct count_facts {
  bool complete = false;
  count_options options;
  collect::host_description host;
  count_plan plan;
  counting_choice choice;
  std::string cpus;
  std::string mode;
  std::vector<pid_t> pids;
  std::size_t members = 0;  // threads or CPUs that counters were opened for
  std::size_t descriptors = 0;
  std::uint64_t window_ns = 0;
  collect::start_facts start;
  std::vector<counted_phase> phases;
  std::uint64_t windows = 0;
  std::uint64_t missed_windows = 0;          // not read, because the collector ran too late
  std::vector<std::size_t> never_ran;        // groups that never had hardware counters
  std::vector<std::string> unverified_zero;  // zero counts of events that may not exist
  std::vector<collect::file_entry> files;
  std::vector<warning> warnings;
  collect::end_facts end;
};

std::string to_json(const count_facts& facts);

// "process", "threads", "command", "cpus" or "cgroup"
const char* name_of(count_target target);

}  // namespace stallscope::count
