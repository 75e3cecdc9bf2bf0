#include "count/counter_log.hpp"

#include <span>

#include "base/json.hpp"

namespace stallscope::count {
namespace {

json to_json(const line_scope& scope) {
  json object = json::object();
  if (scope.pid) object["pid"] = *scope.pid;
  if (scope.tid) object["tid"] = *scope.tid;
  if (scope.cpu) object["cpu"] = *scope.cpu;
  if (!scope.cgroup.empty()) object["cgroup"] = scope.cgroup;
  return object;
}

std::string dump(const json& document) { return document.dump() + "\n"; }

}  // namespace

std::string to_line(const log_start& start) {
  json groups = json::array();
  for (const auto& group : start.groups) {
    groups.push_back({{"group", group.number}, {"events", group.events}, {"scope", start.scope}});
  }
  return dump({{"schema", "stallscope.counters/1"},
               {"groups", groups},
               {"window_ns", start.window_ns},
               {"start_ns", start.start_ns}});
}

std::string to_line(const read_moment& moment, std::size_t group, const line_scope& scope,
                    const perf_events::group_reading& reading) {
  return dump({{"t", moment.monotonic_ns},
               {"g", group},
               {"w", moment.window},
               {"scope", to_json(scope)},
               {"enabled", reading.enabled_ns},
               {"running", reading.running_ns},
               {"v", reading.values}});
}

void counter_log::begin(const log_start& start) {
  pending_ += to_line(start);
  flush();
}

void counter_log::add(const read_moment& moment, std::size_t group, const line_scope& scope,
                      const perf_events::group_reading& reading) {
  pending_ += to_line(moment, group, scope, reading);
  ++lines_;
}

void counter_log::flush() {
  const std::string lines = std::exchange(pending_, {});
  file_.append(std::as_bytes(std::span{lines}));
}

}  // namespace stallscope::count
