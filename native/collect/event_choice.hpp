// Chooses the event to sample: climbs down the ladder until the kernel takes one, and keeps why the
// rungs above were refused.
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
  std::optional<perf_events::event_spec>
      leader{};  // of the sampled event's group, where another must lead
  std::vector<perf_events::event_spec> members{};  // counted in its group
  perf_events::sampling how;
  perf_event_attr attribute{};
  std::vector<refused_rung> refused;
  std::vector<warning> warnings;
};

// Where events are tried: on this thread, or the first of the CPUs.
perf_events::event_place place_of_trials(const collect_options& options);

// Throws failure where no rung holds, and for a rate above the machine's limit.
event_choice choose_event(const collect_options& options);

// Why the kernel would not take the event chosen sampled so, an errno; 0 where it would.
int try_sampling(const event_choice& choice, const perf_events::sampling& how,
                 const collect_options& options);

// The rate limit in hertz; 0 where it is not known.
std::uint64_t max_sample_rate(
    const std::string& path = "/proc/sys/kernel/perf_event_max_sample_rate");

}  // namespace stallscope::collect
