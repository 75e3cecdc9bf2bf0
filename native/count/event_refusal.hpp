// Why an event cannot be counted, and what to do about it: the kernel's errnos told apart.
#pragma once

#include <optional>
#include <string>

#include "base/failure.hpp"
#include "count/pmu_facts.hpp"

namespace stallscope::count {

enum class refusal_cause {
  refused,       // by the kernel, with an errno
  unknown_name,  // to this program and to libpfm4
  absent,        // from this CPU, though the kernel would open it
  user_scope,    // it happens in the kernel, and only user code may be counted
  held           // its counter, by another user
};

struct event_refusal {
  refusal_cause cause = refusal_cause::refused;
  std::string event;
  int error = 0;  // 0: the kernel did not refuse it, something else tells
  std::string reason;
  std::string remedy;
};

// "refused", "unknown-name", "absent", "user-scope" or "held"
const char* name_of(refusal_cause cause);

// What the kernel's refusal of one event means.
event_refusal explain_refusal(const perf_events::event_spec& event, int error,
                              const pmu_facts& facts);

// Of events that the CPU does not have, though the kernel would open them.
event_refusal absent_event(const perf_events::event_spec& event);

// Of events of the scheduler, which an ordinary user's scope leaves out.
event_refusal kernel_only_event(const perf_events::event_spec& event);

// Of events whose counter others hold all the time.
event_refusal held_counter(const std::string& event, const pmu_facts& facts);

// Who may hold the counters, for a person.
std::string counter_holder(const pmu_facts& facts);

// The failure of opening groups for a target ("process 17", "CPU 3") that others were opened for.
failure counting_refused(int error, const std::string& target);

}  // namespace stallscope::count
