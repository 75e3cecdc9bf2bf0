#include "collect/wait_log.hpp"

#include <unistd.h>

#include <sstream>

#include "base/clock.hpp"
#include "base/procfs.hpp"
#include "collect/target.hpp"

namespace stallscope::collect {
namespace {

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace

throttling parse_cpu_stat(const std::string& text) {
  throttling result;
  std::istringstream lines{text};
  std::string key;
  for (std::uint64_t value = 0; lines >> key >> value;) {
    if (key == "nr_throttled") result.periods = value;
    if (key == "throttled_time") result.time_ns = value;
    if (key == "throttled_usec") result.time_ns = value * 1'000;
  }
  return result;
}

std::optional<std::uint64_t> parse_steal(const std::string& text, long ticks_per_s) {
  std::istringstream fields{text};
  std::string name;
  std::uint64_t value = 0;
  fields >> name;
  // cpu user nice system idle iowait irq softirq steal
  for (int i = 0; i < 8; ++i) fields >> value;
  if (name != "cpu" || !fields || ticks_per_s <= 0) return std::nullopt;
  return value * (1'000'000'000U / static_cast<std::uint64_t>(ticks_per_s));
}

void wait_log::append(const json& document) { append_lines(dump_document(document, -1)); }

void wait_log::append_lines(std::string_view lines) {
  file_.append(std::as_bytes(std::span{lines}));
}

void wait_log::append_source(const wait_source& source) {
  append({{"type", "source"},
          {"name", source.name},
          {"available", source.available},
          {"reason", source.reason},
          {"remedy", source.remedy}});
}

void wait_log::append_cgroup(const std::string& moment, const std::string& path) {
  const auto roots = cgroup_roots("/proc/self/mounts", "cpu");
  const std::string root = roots.empty() ? "" : roots.front();
  const auto stat = parse_cpu_stat(read_text(root + path + "/cpu.stat", 1 << 16));
  append({{"type", "cgroup"},
          {"moment", moment},
          {"at_ns", monotonic_ns()},
          {"path", path},
          {"throttled_ns", or_null(stat.time_ns)},
          {"periods_throttled", or_null(stat.periods)}});
}

void wait_log::append_mode(const std::string& mode, double switches_per_s, std::uint64_t at_ns) {
  append({{"type", "mode"}, {"at_ns", at_ns}, {"mode", mode}, {"switches_per_s", switches_per_s}});
}

void wait_log::append_windows(std::span<const record_window> windows) {
  for (const auto& window : windows)
    append({{"type", "window"}, {"begin_ns", window.begin_ns}, {"end_ns", window.end_ns}});
}

void wait_log::append_cpus(const std::string& moment) {
  append(
      {{"type", "cpus"},
       {"moment", moment},
       {"at_ns", monotonic_ns()},
       {"steal_ns", or_null(parse_steal(read_text("/proc/stat", 512), ::sysconf(_SC_CLK_TCK)))}});
}

}  // namespace stallscope::collect
