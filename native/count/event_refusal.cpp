#include "count/event_refusal.hpp"

#include <cerrno>

#include "collect/refusal.hpp"

namespace stallscope::count {
namespace {

struct meaning {
  std::string reason;
  std::string remedy;
};

meaning missing(const perf_events::event_spec& event, const pmu_facts& facts) {
  if (is_hardware(event) && !facts.has_cpu_pmu) {
    return {"this machine has no hardware counters (no CPU PMU in /sys/bus/event_source/devices)",
            "enable the virtual PMU of a virtual machine, or count software events such as "
            "task-clock and page-faults"};
  }
  return {"the kernel knows no such event of this CPU",
          "name another event; a newer kernel may support it"};
}

meaning meaning_of(const perf_events::event_spec& event, int error, const pmu_facts& facts) {
  switch (error) {
    case ENOENT:
      return missing(event, facts);
    case ENODEV:
      return {"its PMU is missing or does not belong to this CPU",
              "name an event of this CPU's own PMU, or choose CPUs with -C"};
    case EOPNOTSUPP:
      return {"this PMU cannot count it with these modifiers",
              "omit the modifiers, or name another event"};
    case EACCES:
    case EPERM:
      return {"this user may not count it " + collect::denial(), collect::privilege_remedy()};
    case EINVAL:
      return {"the kernel rejects its encoding, or no counter of this CPU can count it",
              "check its encoding against this CPU's manual"};
    case EBUSY:
      return {counter_holder(facts), "sysctl kernel.nmi_watchdog=0, or end the other program"};
    case EMFILE:
    case ENFILE:
      return {"too many files are open", "raise the limit of open files (ulimit -n)"};
    case ENXIO:
      return {"the CPU is not online", "name other CPUs with -C"};
    case ESRCH:
      return {"the target has ended", "count a running process"};
    default:
      return {"the kernel refused it", "see stallscope doctor for what this machine can measure"};
  }
}

}  // namespace

const char* name_of(refusal_cause cause) {
  switch (cause) {
    case refusal_cause::refused:
      return "refused";
    case refusal_cause::unknown_name:
      return "unknown-name";
    case refusal_cause::absent:
      return "absent";
    case refusal_cause::user_scope:
      return "user-scope";
    case refusal_cause::held:
      return "held";
  }
  return "refused";
}

event_refusal explain_refusal(const perf_events::event_spec& event, int error,
                              const pmu_facts& facts) {
  auto [reason, remedy] = meaning_of(event, error, facts);
  return {refusal_cause::refused, event.name, error,
          "perf_event_open returns " + collect::error_text(error) + ": " + reason,
          std::move(remedy)};
}

event_refusal absent_event(const perf_events::event_spec& event) {
  return {refusal_cause::absent, event.name, 0,
          "this CPU does not have it: the kernel's driver does not list it (PMCEID), so the count "
          "would be 0",
          "name an event that /sys/bus/event_source/devices/armv8*/events lists"};
}

event_refusal kernel_only_event(const perf_events::event_spec& event) {
  return {refusal_cause::user_scope, event.name, 0,
          "it occurs in the kernel, and only user code may be counted here",
          collect::privilege_remedy()};
}

event_refusal held_counter(const std::string& event, const pmu_facts& facts) {
  return {refusal_cause::held, event, EBUSY,
          "it was never counted in a trial: " + counter_holder(facts),
          "sysctl kernel.nmi_watchdog=0, or end the other program"};
}

std::string counter_holder(const pmu_facts& facts) {
  if (facts.watchdog)
    return "the NMI watchdog holds a counter of each CPU (/proc/sys/kernel/nmi_watchdog is 1)";
  if (facts.users.empty())
    return "another program holds the required counters (the NMI watchdog is off)";
  std::string names;
  for (const auto& user : facts.users) names += (names.empty() ? "" : ", ") + user;
  return "other programs hold the required counters; perf events are open in " + names;
}

failure counting_refused(int error, const std::string& target) {
  const std::string what = "the kernel refused to count " + target + ": perf_event_open returns " +
                           collect::error_text(error);
  switch (error) {
    case EACCES:
    case EPERM:
      return {exit_code::unable, what + " " + collect::denial(),
              collect::privilege_remedy() +
                  "; processes of other users also need root or cap_sys_ptrace"};
    case EMFILE:
    case ENFILE:
      return {exit_code::unable, what, "raise the limit of open files (ulimit -n)"};
    case ENXIO:
    case ENODEV:
      return {exit_code::unable, what, "name online CPUs with -C"};
    case ESRCH:
      return {exit_code::target_failed, what, "count a running process"};
    case EBUSY:
      return {exit_code::unable, what, "end the other program that uses the counters"};
    default:
      return {exit_code::unable, what, "see stallscope doctor for what this machine can measure"};
  }
}

}  // namespace stallscope::count
