#include "collect/prepared_recording.hpp"

#include <sys/resource.h>

#include <cstdlib>

#include "collect/group_choice.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {

prepared_recording prepare_recording(const collect_options& options, const sigset_t& child_mask) {
  prepared_recording prepared;
  prepared.targets = std::make_unique<target_reader>(prepared.proc);
  auto& facts = prepared.facts;
  facts.options = options;
  const inherited_state inherited{child_mask, descriptor_limit()};
  prepared.descriptor_limit = raise_descriptor_limit();
  facts.host = describe_host();
  if (options.kind == target_kind::process) check_processes(prepared.proc, options.pids);
  if (options.kind == target_kind::cgroup) prepared.cgroup = find_cgroup(options.cgroup);
  prepared.cpus = usable_cpus(options.cpus);
  facts.cpus = perf_events::format_cpu_list(prepared.cpus);
  facts.choice = choose_event(options);
  choose_group(facts.choice, options);
  facts.waits = choose_wait_events(facts.choice, options, tracefs_mounts());
  facts.choice.how.context_switches = facts.waits.switches_in_sampled_event;
  facts.warnings = facts.choice.warnings;
  facts.pids = options.pids;
  // A command marks its requests from the first one on, before its ring is searched.
  if (options.requests) ::setenv("STALLSCOPE_REQUESTS", "1", 1);
  if (options.kind == target_kind::command)
    prepared.command = std::make_unique<held_command>(options.command, inherited);
  return prepared;
}

}  // namespace stallscope::collect
