// What sysfs and procfs tell of the CPU's counters. A few small files; read once, on any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf_events/event_spec.hpp"

namespace stallscope::count {

struct pmu_facts {
  bool has_cpu_pmu = false;  // of whatever kind
  // On arm64 the kernel opens any event and one that the CPU does not have reads 0: its driver
  // lists the architected events that the CPU's PMCEID registers name, and no others.
  bool is_arm = false;
  std::optional<std::uint32_t> arm_type;  // perf_event_attr.type of that PMU
  std::set<std::uint64_t> arm_events;
  bool watchdog = false;           // the NMI watchdog holds a counter of each CPU
  std::vector<std::string> users;  // of perf events, as perf_users() names them
};

pmu_facts read_pmu_facts(const std::filesystem::path& sys = "/sys",
                         const std::filesystem::path& proc = "/proc");

// Programs other than this one that have perf events open, as "perf (1234)"; at most four, and only
// those whose descriptors this user may see. Looks at every descriptor of every process.
std::vector<std::string> perf_users(const std::filesystem::path& proc = "/proc");

enum class event_presence { present, absent, untold };

// Whether the CPU has an event. Untold: of arm64's implementation-defined ones nothing tells, and
// of all others the kernel does when they are opened.
event_presence presence(const perf_events::event_spec& event, const pmu_facts& facts);

// Counted by a PMU of the CPU, not by the kernel itself.
bool is_hardware(const perf_events::event_spec& event);

}  // namespace stallscope::count
