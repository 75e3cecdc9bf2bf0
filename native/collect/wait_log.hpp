// The file waits.jsonl of a recording: sources, readings of /proc at the start and end, cgroups.
// A JSON object per line; lines are only appended, so the file is readable after a kill. Costs a
// write per append. One thread.
//
//   wait_log log{output.create(wait_log_name)};
//   log.append_source(source);
//   log.append_cgroup("start", "/x");
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "collect/document_parts.hpp"
#include "collect/sample_file.hpp"
#include "collect/wait_events.hpp"
#include "collect/window_thread.hpp"

namespace stallscope::collect {

inline constexpr const char* wait_log_name = "waits.jsonl";

class wait_log {
 public:
  explicit wait_log(descriptor fd) : file_{std::move(fd), wait_log_name} {}

  // Appends whole lines. Throws std::system_error if the write fails.
  void append_lines(std::string_view lines);
  // See sample_file.
  void divert(append_sink* sink) { file_.divert(sink); }
  void append_source(const wait_source& source);
  // The throttling of a cgroup with a cpu controller, and the time stolen from the machine's CPUs.
  void append_cgroup(const std::string& moment, const std::string& path);
  void append_cpus(const std::string& moment);
  // From that time on the recording has this mode: "all", "windows" or "ticks".
  void append_mode(const std::string& mode, double switches_per_s, std::uint64_t at_ns);
  void append_windows(std::span<const record_window> windows);

  [[nodiscard]] file_entry entry() const { return {wait_log_name, "jsonl", file_.size_bytes()}; }

 private:
  void append(const json& document);
  sample_file file_;
};

// The throttled time and periods in a cpu.stat file of either cgroup version.
struct throttling {
  std::optional<std::uint64_t> time_ns;
  std::optional<std::uint64_t> periods;
};
throttling parse_cpu_stat(const std::string& text);

// The time stolen from all CPUs in /proc/stat, in nanoseconds; nullopt if there is none.
std::optional<std::uint64_t> parse_steal(const std::string& text, long ticks_per_s);

}  // namespace stallscope::collect
