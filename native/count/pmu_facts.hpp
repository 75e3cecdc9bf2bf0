// Facts about the CPU's counters from sysfs and procfs. Costs reads of a few small files;
// perf_users() looks at every descriptor of every process. Any thread.
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
  bool has_cpu_pmu = false;  // of any kind
  // On arm64 the kernel opens any event and one that the CPU does not have reads 0: its driver
  // lists the architected events that the CPU's PMCEID registers name, and no others.
  bool is_arm = false;
  std::optional<std::uint32_t> arm_type;  // perf_event_attr.type of that PMU
  std::set<std::uint64_t> arm_events;
  bool watchdog = false;           // the NMI watchdog holds a counter on each CPU
  std::vector<std::string> users;  // of perf events, as perf_users() names them
};

pmu_facts read_pmu_facts(const std::filesystem::path& sys = "/sys",
                         const std::filesystem::path& proc = "/proc");

// Programs other than this one that have perf events open, as "perf (1234)"; at most four, and only
// those whose descriptors this user may see. Looks at every descriptor of every process.
std::vector<std::string> perf_users(const std::filesystem::path& proc = "/proc");

enum class event_presence { present, absent, unknown };

// Returns whether the CPU has an event. Unknown for implementation-defined events of arm64, and on
// other architectures, where opening the event decides.
event_presence presence(const perf_events::event_spec& event, const pmu_facts& facts);

// Returns whether a PMU counts the event, not the kernel.
bool is_hardware(const perf_events::event_spec& event);

}  // namespace stallscope::count
