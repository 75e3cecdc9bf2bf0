// Which event is sampled: by default hardware cycles or else cpu-clock, or any event libpfm4 names.
// Looking a name up in libpfm4 costs up to 40 ms where tracefs is mounted, so software events and
// the generic hardware ones are known here and libpfm4 wakes only for the others. Call from one
// thread: libpfm4 keeps global state.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::perf_events {

struct event_spec {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  unsigned precise = 0;  // perf_event_attr.precise_ip
  bool exclude_user = false;
  bool exclude_kernel = false;
  bool counts_ns = false;  // its unit is nanoseconds, not events
};

// A name that neither this program nor libpfm4 knows.
class unknown_event : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

event_spec cpu_clock();

// The highest precise_ip that this CPU's PMU knows, 0 to 3. Drivers without that file, such as
// arm64's, accept any value and skid all the same.
unsigned max_precise();

// What is tried when no event was asked for, best first.
std::vector<event_spec> default_ladder(unsigned highest_precise = max_precise());

// Keeps libpfm4 awake while it lives, so that several look-ups pay for its start once.
class event_lookup {
 public:
  event_lookup();
  event_lookup(const event_lookup&) = delete;
  event_lookup& operator=(const event_lookup&) = delete;
  event_lookup(event_lookup&&) = delete;
  event_lookup& operator=(event_lookup&&) = delete;
  ~event_lookup();
};

// The event of a name; throws unknown_event with libpfm4's reason. A name may bring its encoding:
// NAME=TYPE:CONFIG[:CONFIG1[:CONFIG2]] with numbers as C has them, and :p behind them where samples
// are to be as precise as the PMU can.
event_spec find_event(std::string_view name);

}  // namespace stallscope::perf_events
