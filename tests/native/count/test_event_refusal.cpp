#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <set>

#include "count/event_refusal.hpp"

using namespace stallscope;
using namespace stallscope::count;

namespace {

perf_events::event_spec hardware() {
  perf_events::event_spec event;
  event.name = "CYCLES";
  event.type = PERF_TYPE_RAW;
  event.config = 0x3c;
  return event;
}

}  // namespace

TEST_CASE("every errno has its reason and remedy") {
  pmu_facts facts;
  facts.has_cpu_pmu = true;
  std::set<std::string> reasons;
  const std::vector<int> errors{ENOENT,     EACCES, EINVAL, EBUSY, ENODEV,
                                EOPNOTSUPP, ESRCH,  EMFILE, ENXIO};
  for (const int error : errors) {
    const auto refusal = explain_refusal(hardware(), error, facts);
    CHECK(refusal.event == "CYCLES");
    CHECK(refusal.error == error);
    CHECK_FALSE(refusal.remedy.empty());
    reasons.insert(refusal.reason);
  }
  CHECK(reasons.size() == errors.size());
}

TEST_CASE("a machine without counters and a CPU without the event have different reasons") {
  pmu_facts facts;
  CHECK(explain_refusal(hardware(), ENOENT, facts).reason.find("no hardware counters") !=
        std::string::npos);
  facts.has_cpu_pmu = true;
  CHECK(explain_refusal(hardware(), ENOENT, facts).reason.find("no such event") !=
        std::string::npos);
  CHECK(explain_refusal(perf_events::cpu_clock(), ENOENT, {}).reason.find("no such event") !=
        std::string::npos);
}

TEST_CASE("the holder of a counter is named if it is known") {
  pmu_facts facts;
  CHECK(held_counter("CYCLES", facts).reason.find("another program") != std::string::npos);
  facts.users = {"perf (7)", "other (8)"};
  CHECK(held_counter("CYCLES", facts).reason.find("perf (7), other (8)") != std::string::npos);
  facts.watchdog = true;
  CHECK(held_counter("CYCLES", facts).reason.find("/proc/sys/kernel/nmi_watchdog") !=
        std::string::npos);
}

TEST_CASE("refusals of the target and of an event have different messages") {
  CHECK(counting_refused(ESRCH, "thread 7").code() == exit_code::target_failed);
  CHECK(counting_refused(EACCES, "thread 7").remedy().find("cap_sys_ptrace") != std::string::npos);
  CHECK(counting_refused(EMFILE, "thread 7").remedy().find("ulimit -n") != std::string::npos);
}
