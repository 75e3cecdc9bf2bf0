#include "collect/stack_selection.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>

#include "base/clock.hpp"
#include "collect/command_files.hpp"
#include "collect/refusal.hpp"
#include "collect/runtime_kinds.hpp"
#include "collect/stack_decision.hpp"
#include "collect/stack_probe.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t sampling_ns = 300'000'000;
// With opening and comparison the probe takes 0.5 s on an idle machine.
constexpr std::uint64_t probing_cpu_ns = 200'000'000;
constexpr std::uint64_t probing_wall_ns = 1'500'000'000;
constexpr std::size_t max_probe_descriptors = 512;
// For whole CPUs: this number of processes with enough samples represents the machine's programs.
constexpr std::size_t enough_processes = 8;

void check_opened(int error) {
  if (error != 0) throw std::system_error(error, std::generic_category(), "perf_event_open");
}

stack_choice inspect_command(const prepared_recording& prepared) {
  const auto& command = prepared.facts.options.command;
  const char* path = std::getenv("PATH");
  const auto files = files_of_command(command, path != nullptr ? path : "");
  table_store tables{time_limit::after(probing_cpu_ns, probing_wall_ns)};
  std::vector<code_share> parts;
  for (const auto& file : files) {
    struct stat status {};
    const auto* table = tables.of_file(file.file);
    if (table == nullptr || ::fstat(file.file.get(), &status) != 0) continue;
    parts.push_back({table->frame_pointer_share(), static_cast<std::uint64_t>(status.st_size),
                     file.executable});
  }
  if (prepared.facts.options.runtimes && !files.empty() && is_runtime_program(files.front().path))
    return {stack_kind::copies, "frames of managed runtimes are read from copied stacks", {}, true};
  const auto name = files.empty() ? command.front() : files.front().path;
  return decide_for_command(name.substr(name.rfind('/') + 1), frame_pointer_share(parts));
}

std::vector<process_evidence> evidence_of(const prepared_recording& prepared,
                                          const std::map<pid_t, probe_tally>& tallies,
                                          table_store& tables) {
  const bool of_processes = prepared.facts.options.kind == target_kind::process;
  std::vector<process_evidence> all;
  for (const auto& [pid, tally] : tallies) {
    process_evidence evidence{pid, tally.name, tally.samples, tally.whole, {}};
    if (evidence.name.empty()) evidence.name = prepared.proc.thread_name(pid, pid);
    if (prepared.facts.options.runtimes) evidence.runtime = prepared.targets->runtime_of(pid);
    if (of_processes && !samples_decide(tally.samples, tally.whole))
      evidence.code_share = process_code{prepared.proc, pid, tables}.frame_pointer_share();
    all.push_back(std::move(evidence));
  }
  return all;
}

stack_choice probe_processes(const prepared_recording& prepared) {
  const auto& pids = prepared.facts.options.pids;
  const auto limit = time_limit::after(probing_cpu_ns, probing_wall_ns);
  table_store tables{limit, prepared.targets.get()};
  stack_probe probe{probe_attribute(prepared.facts.choice.how.user_only), prepared.cpus,
                    prepared.proc, tables};
  const auto budget = std::min(max_probe_descriptors, prepared.descriptor_limit / 2);
  check_opened(probe.open_processes(pids, budget));
  probe.collect(pids.size(), monotonic_ns() + sampling_ns);
  auto tallies = probe.judge(limit);
  for (const pid_t pid : pids) tallies[pid];  // adds the idle processes
  return decide_per_process(evidence_of(prepared, tallies, tables));
}

stack_choice probe_cpus(const prepared_recording& prepared) {
  const auto limit = time_limit::after(probing_cpu_ns, probing_wall_ns);
  table_store tables{limit, prepared.targets.get()};
  stack_probe probe{probe_attribute(prepared.facts.choice.how.user_only), prepared.cpus,
                    prepared.proc, tables};
  const bool cgroup = prepared.facts.options.kind == target_kind::cgroup;
  check_opened(
      probe.open_cpus(cgroup ? prepared.cgroup.fd.get() : -1, cgroup ? PERF_FLAG_PID_CGROUP : 0UL));
  probe.collect(enough_processes, monotonic_ns() + sampling_ns);
  return decide_for_all(evidence_of(prepared, probe.judge(limit), tables));
}

stack_choice probe_target(const prepared_recording& prepared) {
  try {
    switch (prepared.facts.options.kind) {
      case target_kind::command:
        return inspect_command(prepared);
      case target_kind::process:
        return probe_processes(prepared);
      case target_kind::cpus:
      case target_kind::cgroup:
        return probe_cpus(prepared);
    }
  } catch (const std::system_error& error) {
    return {stack_kind::copies, std::string{"the target could not be probed: "} + error.what(), {}};
  }
  return {};
}

}  // namespace

stack_choice select_stacks(const prepared_recording& prepared) {
  const auto& options = prepared.facts.options;
  const auto& choice = prepared.facts.choice;
  if (options.stacks == stack_method::frame_pointers)
    return {stack_kind::frame_pointers, "requested", {}};
  const int error = try_sampling(choice, with_copies(choice.how, options.stack_bytes), options);
  if (error != 0 && options.stacks == stack_method::copies) {
    throw failure{exit_code::unable,
                  "stacks cannot be copied here: perf_event_open returns " + error_text(error),
                  "record stacks by frame pointers (--stacks fp), or use the default (auto)"};
  }
  if (error != 0) {
    return {stack_kind::frame_pointers,
            "stacks cannot be copied here: perf_event_open returns " + error_text(error),
            {}};
  }
  if (options.stacks == stack_method::automatic) return probe_target(prepared);
  const auto has_runtime = [&prepared](pid_t pid) {
    return !prepared.targets->runtime_of(pid).empty();
  };
  return {stack_kind::copies,
          "requested",
          {},
          options.runtimes && std::any_of(options.pids.begin(), options.pids.end(), has_runtime)};
}

}  // namespace stallscope::collect
