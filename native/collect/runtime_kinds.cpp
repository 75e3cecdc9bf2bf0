#include "collect/runtime_kinds.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "hotspot_frames/hotspot_reader.hpp"
#include "v8_frames/detection.hpp"

namespace stallscope::collect {
namespace {

constexpr std::array<std::string_view, 4> runtime_programs{"node", "nodejs", "java", "javac"};

}  // namespace

std::vector<managed_frames::runtime_kind> runtime_kinds() {
  return {v8_frames::v8_kind(), hotspot_frames::hotspot_kind()};
}

std::string runtime_of(const procfs& proc, pid_t pid) {
  process_reading::read_budget budget{{}};
  const auto view = managed_frames::view_of(proc, pid, budget);
  for (const auto& kind : runtime_kinds()) {
    if (kind.runs(view, budget)) return std::string{kind.name};
  }
  return {};
}

bool is_runtime_program(const std::string& path) {
  const auto name = std::string_view{path}.substr(path.find_last_of('/') + 1);
  return std::find(runtime_programs.begin(), runtime_programs.end(), name) !=
         runtime_programs.end();
}

}  // namespace stallscope::collect
