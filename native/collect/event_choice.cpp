#include "collect/event_choice.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/procfs.hpp"
#include "collect/refusal.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {
perf_events::event_place place_of_trials(const collect_options& options) {
  const bool whole_cpus = options.kind == target_kind::cpus || options.kind == target_kind::cgroup;
  const int cpu = options.cpus.empty() ? perf_events::online_cpus().front() : options.cpus.front();
  return {whole_cpus ? -1 : 0, cpu};
}

namespace {

// Tries an event, if necessary without the options that older kernels refuse. Returns 0 or the
// errno.
int try_event(event_choice& choice, const perf_events::event_place& place) {
  int first_error = 0;
  for (const bool count_lost : {true, false}) {
    for (const bool build_ids : {true, false}) {
      choice.how.count_lost = count_lost;
      choice.how.build_ids = build_ids;
      auto attribute = perf_events::sampling_attribute(choice.event, choice.how);
      attribute.disabled = 1;
      const auto opened = perf_events::open_event(attribute, place);
      if (opened.fd) return 0;
      if (first_error == 0) first_error = opened.error;
      if (opened.error != EINVAL) return opened.error;
    }
  }
  return first_error;
}

// Returns the errno for hardware cycles.
int refusal_of_cycles(const event_choice& choice) {
  int error = 0;
  for (const auto& rung : choice.refused) error = rung.event == "cycles" ? rung.error : error;
  return error;
}

bool forbidden(int error) { return error == EACCES || error == EPERM; }

void warn_of_event(event_choice& choice, const collect_options& options) {
  if (options.event.empty() && choice.event.counts_ns) {
    choice.warnings.push_back(
        {"no-hardware-cycles",
         "hardware cycles cannot be sampled here (" + error_text(refusal_of_cycles(choice)) +
             "): cpu-clock is sampled instead, which does not see code that "
             "runs with interrupts disabled" +
             (options.period == 0
                  ? std::string{}
                  : "; the period of " + std::to_string(options.period) + " counts nanoseconds")});
  }
  if (choice.how.user_only && options.scope == privilege_scope::allowed) {
    choice.warnings.push_back(
        {"user-only", "only user code is sampled: kernel.perf_event_paranoid is " +
                          paranoid_level() + "; for kernel call chains " + privilege_remedy()});
  }
  if (!choice.how.count_lost) {
    choice.warnings.push_back({"lost-from-records",
                               "this kernel does not count lost samples per event; "
                               "losses are counted from lost records"});
  }
}

bool try_scopes(event_choice& choice, const collect_options& options, int& error) {
  const auto place = place_of_trials(options);
  for (const bool user_only : {false, true}) {
    if (user_only ? options.scope == privilege_scope::kernel || choice.event.exclude_user
                  : options.scope == privilege_scope::user)
      continue;
    choice.how.user_only = user_only;
    error = try_event(choice, place);
    if (error == 0) return true;
    choice.refused.push_back({choice.event.name, choice.event.precise, user_only, error});
    if (!forbidden(error)) return false;
  }
  return false;
}

std::vector<perf_events::event_spec> rungs(const collect_options& options) {
  if (options.event.empty()) return perf_events::default_ladder();
  try {
    auto event = perf_events::find_event(options.event);
    if (event.precise == 0) return {event};
    std::vector<perf_events::event_spec> ladder;  // most precise first
    for (unsigned precise = std::min(event.precise, perf_events::max_precise()) + 1;
         precise-- > 0;) {
      event.precise = precise;
      ladder.push_back(event);
    }
    return ladder;
  } catch (const perf_events::unknown_event& error) {
    throw failure{exit_code::usage, error.what(),
                  "omit -e for hardware cycles or cpu-clock; perf list and libpfm4's showevtinfo "
                  "list the events of this machine"};
  }
}

[[noreturn]] void refuse(const event_choice& choice, const collect_options& options, int error) {
  const bool whole_cpus = options.kind == target_kind::cpus || options.kind == target_kind::cgroup;
  if (!forbidden(error))
    throw refusal(error, "the event " + choice.event.name, place_of_trials(options).cpu);
  const std::string subject = whole_cpus                                 ? "whole CPUs"
                              : options.scope == privilege_scope::kernel ? "kernel call chains"
                              : choice.event.exclude_user                ? "kernel code"
                                                                         : "anything";
  throw failure{exit_code::unable,
                "this user may not sample " + subject + ": perf_event_open returns " +
                    error_text(error) + " " + denial(),
                privilege_remedy()};
}

}  // namespace

int try_sampling(const event_choice& choice, const perf_events::sampling& how,
                 const collect_options& options) {
  auto attribute = perf_events::sampling_attribute(choice.event, how);
  attribute.disabled = 1;
  return perf_events::open_event(attribute, place_of_trials(options)).error;
}

std::uint64_t max_sample_rate(const std::string& path) {
  return std::strtoull(read_text(path, 64).c_str(), nullptr, 10);
}

event_choice choose_event(const collect_options& options) {
  const auto limit = max_sample_rate();
  if (options.period == 0 && limit != 0 && options.frequency_hz > limit) {
    throw failure{exit_code::usage,
                  "-F " + std::to_string(options.frequency_hz) +
                      " is above this machine's limit of " + std::to_string(limit) +
                      " samples per second",
                  "use a lower rate, or raise /proc/sys/kernel/perf_event_max_sample_rate"};
  }
  const auto ladder = rungs(options);
  if (options.scope == privilege_scope::user && ladder.front().exclude_user) {
    throw failure{exit_code::usage,
                  "the event " + options.event + " occurs in kernel code, which --user excludes",
                  "omit one of them"};
  }
  event_choice choice;
  choice.how.frequency_hz = options.frequency_hz;
  choice.how.period = options.period;
  choice.how.max_stack = options.max_stack;
  choice.how.inherit = options.kind == target_kind::process || options.kind == target_kind::command;
  choice.how.enable_on_exec = options.kind == target_kind::command;
  int error = 0;
  for (const auto& rung : ladder) {
    choice.event = rung;
    if (!try_scopes(choice, options, error)) continue;
    choice.attribute = perf_events::sampling_attribute(choice.event, choice.how);
    warn_of_event(choice, options);
    return choice;
  }
  refuse(choice, options, error);
}

}  // namespace stallscope::collect
