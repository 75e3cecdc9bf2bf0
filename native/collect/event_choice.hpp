// Chooses the sampled event: tries the events of the ladder in order until the kernel accepts one,
// and records the errors of the others. Costs a few system calls per event. One thread.
#pragma once

#include <linux/perf_event.h>

#include <optional>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "collect/options.hpp"
#include "perf_events/open_event.hpp"

namespace stallscope::collect {

struct refused_rung {
  std::string event;
  unsigned precise = 0;
  bool user_only = false;
  int error = 0;
};

struct event_choice {
  perf_events::event_spec event;
  std::optional<perf_events::event_spec> leader{};  // leads the group if the sampled event cannot
  std::vector<perf_events::event_spec> members{};   // counted in its group
  perf_events::sampling how;
  perf_event_attr attribute{};
  std::vector<refused_rung> refused;
  std::vector<warning> warnings;
};

// The place of trial events: this thread, or the first CPU.
perf_events::event_place place_of_trials(const collect_options& options);

// Throws failure if the kernel refuses all events or the rate is above the machine's limit.
event_choice choose_event(const collect_options& options);

// Tries the chosen event with other sampling options. Returns 0 or the kernel's errno.
int try_sampling(const event_choice& choice, const perf_events::sampling& how,
                 const collect_options& options);

// Returns the rate limit in hertz; 0 if unknown.
std::uint64_t max_sample_rate(
    const std::string& path = "/proc/sys/kernel/perf_event_max_sample_rate");

}  // namespace stallscope::collect
