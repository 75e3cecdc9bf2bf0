#include "stallscope/perf_events/event_spec.hpp"

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace stallscope {
namespace {

struct known_event {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::array known_events{
    known_event{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    known_event{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    known_event{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    known_event{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    known_event{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    known_event{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    known_event{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    known_event{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    known_event{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    known_event{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    known_event{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    known_event{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    known_event{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

bool counts_ns(std::uint32_t type, std::uint64_t config) {
  return type == PERF_TYPE_SOFTWARE &&
         (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

// libpfm4, for as long as one look-up takes.
class pfm_session {
 public:
  pfm_session() : status_{pfm_initialize()} {}
  pfm_session(const pfm_session&) = delete;
  pfm_session& operator=(const pfm_session&) = delete;
  pfm_session(pfm_session&&) = delete;
  pfm_session& operator=(pfm_session&&) = delete;
  ~pfm_session() {
    if (status_ == PFM_SUCCESS) pfm_terminate();
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

event_spec from_attribute(std::string name, const perf_event_attr& attribute) {
  event_spec event;
  event.name = std::move(name);
  event.type = attribute.type;
  event.config = attribute.config;
  event.config1 = attribute.config1;
  event.config2 = attribute.config2;
  event.precise = attribute.precise_ip;
  event.exclude_user = attribute.exclude_user != 0;
  event.exclude_kernel = attribute.exclude_kernel != 0;
  event.counts_ns = counts_ns(attribute.type, attribute.config);
  return event;
}

event_spec find_in_pfm(const std::string& name) {
  const pfm_session session;
  perf_event_attr attribute{};
  attribute.size = sizeof attribute;
  pfm_perf_encode_arg_t encoding{};
  encoding.attr = &attribute;
  encoding.size = sizeof encoding;
  int status = session.status();
  if (status == PFM_SUCCESS) {
    status =
        pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
  }
  if (status != PFM_SUCCESS) {
    throw unknown_event("libpfm4 cannot encode the event '" + name +
                        "' on this machine: " + pfm_strerror(status));
  }
  return from_attribute(name, attribute);
}

}  // namespace

event_spec cpu_clock() {
  event_spec event;
  event.name = "cpu-clock";
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.counts_ns = true;
  return event;
}

unsigned max_precise() {
  unsigned highest = 0;
  for (const char* pmu : {"cpu", "cpu_core", "cpu_atom"}) {
    std::ifstream file{std::string{"/sys/bus/event_source/devices/"} + pmu + "/caps/max_precise"};
    unsigned value = 0;
    if (file >> value) highest = std::max(highest, std::min(value, 3U));
  }
  return highest;
}

std::vector<event_spec> default_ladder(unsigned highest_precise) {
  std::vector<event_spec> ladder;
  for (unsigned precise = highest_precise + 1; precise-- > 0;) {
    event_spec event;
    event.name = "cycles";
    event.type = PERF_TYPE_HARDWARE;
    event.config = PERF_COUNT_HW_CPU_CYCLES;
    event.precise = precise;
    ladder.push_back(event);
  }
  ladder.push_back(cpu_clock());
  return ladder;
}

event_spec find_event(std::string_view name) {
  for (const auto& known : known_events) {
    if (known.name != name) continue;
    event_spec event;
    event.name = known.name;
    event.type = known.type;
    event.config = known.config;
    event.counts_ns = counts_ns(known.type, known.config);
    return event;
  }
  return find_in_pfm(std::string{name});
}

}  // namespace stallscope
