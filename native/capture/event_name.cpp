#include <linux/perf_event.h>

#include <array>
#include <string_view>

#include "capture/event_attribute.hpp"

namespace stallscope::capture {
namespace {

using namespace std::string_view_literals;

constexpr std::array hardware_names{"cycles"sv,
                                    "instructions"sv,
                                    "cache-references"sv,
                                    "cache-misses"sv,
                                    "branches"sv,
                                    "branch-misses"sv,
                                    "bus-cycles"sv,
                                    "stalled-cycles-frontend"sv,
                                    "stalled-cycles-backend"sv,
                                    "ref-cycles"sv};
constexpr std::array software_names{
    "cpu-clock"sv,        "task-clock"sv,   "page-faults"sv,  "context-switches"sv,
    "cpu-migrations"sv,   "minor-faults"sv, "major-faults"sv, "alignment-faults"sv,
    "emulation-faults"sv, "dummy"sv,        "bpf-output"sv,   "cgroup-switches"sv};
constexpr std::array cache_names{"L1-dcache"sv, "L1-icache"sv, "LLC"sv, "dTLB"sv,
                                 "iTLB"sv,      "branch"sv,    "node"sv};
constexpr std::array operation_names{"load"sv, "store"sv, "prefetch"sv};

std::string cache_event_name(std::uint64_t config) {
  const std::uint64_t cache = config & 0xffU;
  const std::uint64_t operation = config >> 8U & 0xffU;
  const std::uint64_t result = config >> 16U;
  if (cache >= cache_names.size() || operation >= operation_names.size() || result > 1) {
    return {};
  }
  return std::string(cache_names[cache]) + "-" + std::string(operation_names[operation]) +
         (result == 0 ? "s" : "-misses");
}

}  // namespace

std::string event_name(std::uint32_t type, std::uint64_t config) {
  // The upper half of a hardware event's config names one PMU of a hybrid CPU.
  const std::uint64_t plain = config & 0xffff'ffffU;
  if (type == PERF_TYPE_HARDWARE && plain < hardware_names.size()) {
    return std::string(hardware_names[plain]);
  }
  if (type == PERF_TYPE_SOFTWARE && config < software_names.size()) {
    return std::string(software_names[config]);
  }
  if (type == PERF_TYPE_HW_CACHE) {
    if (std::string name = cache_event_name(plain); !name.empty()) {
      return name;
    }
  }
  return std::to_string(type) + ":" + std::to_string(config);
}

}  // namespace stallscope::capture
