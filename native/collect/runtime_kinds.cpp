#include "collect/runtime_kinds.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "hotspot_frames/hotspot_reader.hpp"
#include "php_frames/detection.hpp"
#include "ruby_frames/detection.hpp"
#include "v8_frames/detection.hpp"

namespace stallscope::collect {
namespace {

constexpr std::array<std::string_view, 4> runtime_programs{"node", "nodejs", "java", "javac"};
constexpr std::array<std::string_view, 2> versioned_programs{"ruby", "php"};

}  // namespace

std::vector<managed_frames::runtime_kind> runtime_kinds() {
  return {v8_frames::v8_kind(), hotspot_frames::hotspot_kind(), ruby_frames::ruby_kind(),
          php_frames::php_kind()};
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
  const auto is_one_of = [name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  // Distributions add the version: ruby3.1, php-fpm8.2.
  return is_one_of(runtime_programs) ||
         std::any_of(versioned_programs.begin(), versioned_programs.end(),
                     [name](std::string_view program) { return name.starts_with(program); });
}

}  // namespace stallscope::collect
