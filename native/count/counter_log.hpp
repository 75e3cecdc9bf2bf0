// counters.jsonl (stallscope.counters/1): a line that names the groups, then one line per reading
// of a group. The lines of a window are buffered and appended at once, so the file is readable
// after a kill. Costs one write per window. One thread.
//
//   counter_log log{output.create("counters.jsonl")};
//   log.begin(start);
//   log.add({monotonic_ns(), window}, group, scope, reading);
//   log.flush();
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collect/sample_file.hpp"
#include "perf_events/event_group.hpp"

namespace stallscope::count {

// The scope of a line's counts: a process, a thread, a CPU, or a cgroup on a CPU.
struct line_scope {
  std::optional<pid_t> pid;
  std::optional<pid_t> tid;
  std::optional<int> cpu;
  std::string cgroup;
};

struct logged_group {
  std::size_t number = 0;
  std::vector<std::string> events;
};

struct log_start {
  std::vector<logged_group> groups;
  std::string scope;  // "pid", "tid", "cpu" or "cgroup"
  std::uint64_t window_ns = 0;
  std::uint64_t start_ns = 0;
};

struct read_moment {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t window = 0;
};

class counter_log {
 public:
  explicit counter_log(descriptor file) : file_{std::move(file), "counters.jsonl"} {}

  void begin(const log_start& start);
  // Adds a line, which flush() writes.
  void add(const read_moment& moment, std::size_t group, const line_scope& scope,
           const perf_events::group_reading& reading);
  // Throws std::system_error if the write fails.
  void flush();

  [[nodiscard]] std::uint64_t size_bytes() const { return file_.size_bytes(); }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  collect::sample_file file_;
  std::string pending_;
  std::uint64_t lines_ = 0;
};

// The text of the lines, for tests.
std::string to_line(const log_start& start);
std::string to_line(const read_moment& moment, std::size_t group, const line_scope& scope,
                    const perf_events::group_reading& reading);

}  // namespace stallscope::count
