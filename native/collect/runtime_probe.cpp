#include "collect/runtime_probe.hpp"

#include "base/json.hpp"
#include "collect/runtime_kinds.hpp"
#include "managed_frames/function_log.hpp"
#include "python_frames/interpreter.hpp"

namespace stallscope::collect {
namespace {

constexpr process_reading::read_limits probe_limits{
    .bytes = std::uint64_t{192} << 20U, .cpu_ns = 2'000'000'000, .wall_ns = 4'000'000'000};

json runtime_entry(std::string_view name, const std::string& version, const std::string& refusal) {
  return {{"name", name}, {"version", version}, {"refusal", refusal}};
}

}  // namespace

std::string probe_runtimes(const procfs& proc, pid_t pid) {
  process_reading::read_budget budget{probe_limits};
  json runtimes = json::array();
  const auto view = managed_frames::view_of(proc, pid, budget);
  std::string lines;
  managed_frames::function_log functions{{1, 1}, lines};
  for (const auto& kind : runtime_kinds()) {
    if (!kind.runs(view, budget)) continue;
    const auto detection = kind.detect(view, functions, budget);
    if (!detection.present) continue;
    const bool starting = !detection.reader && detection.refusal.empty();
    runtimes.push_back(runtime_entry(kind.name, detection.version,
                                     starting ? "not started yet" : detection.refusal));
  }
  const auto python = python_frames::find_interpreter(proc, pid, budget);
  if (python.present) {
    const auto version = python.match ? python.match->version : std::string{};
    runtimes.push_back(runtime_entry("cpython", version, python.refusal));
  }
  const json document{{"schema", "stallscope.runtimes/1"}, {"pid", pid}, {"runtimes", runtimes}};
  return document.dump() + "\n";
}

}  // namespace stallscope::collect
