// Events by name: hardware cycles or cpu-clock by default, or any event of libpfm4. A look-up in
// libpfm4 costs up to 40 ms if tracefs is mounted, so software events and generic hardware events
// are listed here and only other names start libpfm4. One thread, because libpfm4 has global state.
//
//   const event_spec event = find_event("page-faults");
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
  bool counts_ns = false;  // the unit is nanoseconds, not events
};

// A name that neither this program nor libpfm4 knows.
class unknown_event : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

event_spec cpu_clock();

// The highest precise_ip of this CPU's PMU, 0 to 3. Drivers without that file, such as arm64's,
// accept any value but have skid anyway.
unsigned max_precise();

// The default events, best first.
std::vector<event_spec> default_ladder(unsigned highest_precise = max_precise());

// Keeps libpfm4 loaded during its lifetime, so that several look-ups share the cost of its start.
class event_lookup {
 public:
  event_lookup();
  event_lookup(const event_lookup&) = delete;
  event_lookup& operator=(const event_lookup&) = delete;
  event_lookup(event_lookup&&) = delete;
  event_lookup& operator=(event_lookup&&) = delete;
  ~event_lookup();
};

// Returns the event of a name. Throws unknown_event with libpfm4's reason. A name may include its
// encoding: NAME=TYPE:CONFIG[:CONFIG1[:CONFIG2]] with numbers in C syntax, followed by :p for the
// highest precision of the PMU.
event_spec find_event(std::string_view name);

}  // namespace stallscope::perf_events
