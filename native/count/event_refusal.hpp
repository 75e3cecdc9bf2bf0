// The reason why an event cannot be counted, and the remedy, per errno of the kernel. Any thread.
#pragma once

#include <optional>
#include <string>

#include "base/failure.hpp"
#include "count/pmu_facts.hpp"

namespace stallscope::count {

enum class refusal_cause {
  refused,       // the kernel returned an errno
  unknown_name,  // neither this program nor libpfm4 knows the name
  absent,        // this CPU does not have the event, although the kernel opens it
  user_scope,    // the event occurs in the kernel, and only user code may be counted
  held           // another program holds the counter
};

struct event_refusal {
  refusal_cause cause = refusal_cause::refused;
  std::string event;
  int error = 0;  // 0: the kernel did not refuse the event
  std::string reason;
  std::string remedy;
};

// "refused", "unknown-name", "absent", "user-scope" or "held"
const char* name_of(refusal_cause cause);

// The refusal for an errno of the kernel.
event_refusal explain_refusal(const perf_events::event_spec& event, int error,
                              const pmu_facts& facts);

// The refusal for an event that the CPU does not have although the kernel opens it.
event_refusal absent_event(const perf_events::event_spec& event);

// The refusal for a scheduler event, which occurs outside user code.
event_refusal kernel_only_event(const perf_events::event_spec& event);

// The refusal for an event whose counter another program holds permanently.
event_refusal held_counter(const std::string& event, const pmu_facts& facts);

// A clause that names the probable holder of the counters.
std::string counter_holder(const pmu_facts& facts);

// The failure to open groups for a target ("process 17", "CPU 3").
failure counting_refused(int error, const std::string& target);

}  // namespace stallscope::count
