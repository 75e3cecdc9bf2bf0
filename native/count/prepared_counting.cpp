#include "count/prepared_counting.hpp"

#include <sys/resource.h>

#include <span>

#include "perf_events/cpu_list.hpp"

namespace stallscope::count {
namespace {

void check_threads(const procfs& proc, std::span<const pid_t> tids) {
  for (const pid_t tid : tids) {
    if (proc.status(tid)) continue;
    throw failure{exit_code::target_failed, "there is no thread " + std::to_string(tid),
                  "list the threads of a process with ps -L -p PID"};
  }
}

void find_target(prepared_counting& prepared) {
  auto& facts = prepared.facts;
  const auto& options = facts.options;
  collect::check_processes(prepared.proc, options.pids);
  check_threads(prepared.proc, options.tids);
  if (options.target == count_target::cgroup)
    prepared.cgroup = collect::find_cgroup(options.cgroup);
  prepared.cpus = collect::usable_cpus(options.cpus);
  facts.cpus = perf_events::format_cpu_list(prepared.cpus);
  facts.pids = options.pids;
  for (const pid_t tid : options.tids) {
    const auto status = prepared.proc.status(tid);
    if (status) facts.pids.push_back(status->tgid);
  }
}

trial_place place_of_trial(const count_options& options, int first_cpu) {
  trial_place trial;
  trial.user_only = options.user_only;
  const bool whole_cpus =
      options.target == count_target::cpus || options.target == count_target::cgroup;
  trial.place =
      whole_cpus ? perf_events::event_place{-1, first_cpu} : perf_events::event_place{0, -1};
  trial.how.inherit = options.target == count_target::command ||
                      (options.target == count_target::processes && !options.per_thread);
  trial.how.enable_on_exec = options.target == count_target::command && !counts_phases(options);
  return trial;
}

}  // namespace

prepared_counting prepare_counting(const count_options& options, const sigset_t& child_mask) {
  prepared_counting prepared;
  auto& facts = prepared.facts;
  facts.options = options;
  const collect::inherited_state inherited{child_mask, collect::descriptor_limit()};
  prepared.descriptor_limit = collect::raise_descriptor_limit();
  prepared.plan_text = read_plan_file(options.plan);
  facts.plan = parse_plan(prepared.plan_text, options.plan);
  facts.host = collect::describe_host();
  find_target(prepared);
  facts.choice = choose_groups(facts.plan, place_of_trial(options, prepared.cpus.front()));
  facts.warnings = facts.choice.warnings;
  if (options.target == count_target::command)
    prepared.command = std::make_unique<collect::held_command>(options.command, inherited);
  return prepared;
}

}  // namespace stallscope::count
