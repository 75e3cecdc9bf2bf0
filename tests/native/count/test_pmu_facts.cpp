#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include "collect/scratch.hpp"
#include "count/pmu_facts.hpp"

using namespace stallscope;
using namespace stallscope::count;

namespace {

perf_events::event_spec raw(std::uint64_t config, std::uint32_t type = PERF_TYPE_RAW) {
  perf_events::event_spec event;
  event.type = type;
  event.config = config;
  return event;
}

}  // namespace

TEST_CASE("on arm64 an architected event is present only if the driver lists it") {
  const test::scratch machine;
  const std::string pmu = "sys/bus/event_source/devices/armv8_pmuv3/";
  machine.write(pmu + "type", "8\n");
  machine.write(pmu + "events/cpu_cycles", "event=0x0011\n");
  machine.write(pmu + "events/odd", "umask=0x1\n");
  machine.write(pmu + "events/bad", "event=0xzz\n");
  const auto facts = read_pmu_facts(machine.at("sys"), machine.at("proc"));
  CHECK(facts.has_cpu_pmu);
  CHECK(facts.is_arm);
  CHECK(facts.arm_type == 8U);
  CHECK(presence(raw(0x11), facts) == event_presence::present);
  CHECK(presence(raw(0x11, 8), facts) == event_presence::present);
  CHECK(presence(raw(0x23), facts) == event_presence::absent);
  CHECK(presence(raw(0x4005), facts) == event_presence::absent);
  CHECK(presence(raw(0x52), facts) == event_presence::unknown);     // implementation-defined
  CHECK(presence(raw(0x23, 9), facts) == event_presence::unknown);  // of another PMU
  CHECK(presence(raw(0x23, PERF_TYPE_SOFTWARE), facts) == event_presence::unknown);
}

TEST_CASE("on other machines the presence is unknown before the event is opened") {
  const test::scratch machine;
  machine.write("sys/bus/event_source/devices/cpu/type", "4\n");
  machine.write("proc/sys/kernel/nmi_watchdog", "1\n");
  const auto facts = read_pmu_facts(machine.at("sys"), machine.at("proc"));
  CHECK(facts.has_cpu_pmu);
  CHECK_FALSE(facts.is_arm);
  CHECK(facts.watchdog);
  CHECK(presence(raw(0x23), facts) == event_presence::unknown);
}

TEST_CASE("a machine may have no PMU and no watchdog") {
  const test::scratch machine;
  const auto facts = read_pmu_facts(machine.at("sys"), machine.at("proc"));
  CHECK_FALSE(facts.has_cpu_pmu);
  CHECK_FALSE(facts.watchdog);
}

TEST_CASE("programs with open perf events are named in printable characters") {
  const test::scratch machine;
  const auto process = [&machine](const std::string& pid, const std::string& name,
                                  const std::string& open) {
    machine.write("proc/" + pid + "/status", "Name:\t" + name + "\nTgid:\t" + pid + "\n");
    std::filesystem::create_directories(machine.at("proc/" + pid + "/fd"));
    std::filesystem::create_symlink(open, machine.at("proc/" + pid + "/fd/3"));
  };
  process("7", "pe\x1brf", "anon_inode:[perf_event]");
  process("8", "other", "/dev/null");
  CHECK(perf_users(machine.at("proc")) == std::vector<std::string>{"pe?rf (7)"});
  CHECK(perf_users(machine.at("none")).empty());
}
