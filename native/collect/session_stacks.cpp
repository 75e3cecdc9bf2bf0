// How a session takes user stacks.
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "collect/command_files.hpp"
#include "collect/refusal.hpp"
#include "collect/session.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t collecting_ns = 300'000'000;
// With opening and comparison the probe takes 0.5 s on an idle machine.
constexpr std::uint64_t probing_cpu_ns = 200'000'000;
constexpr std::uint64_t probing_wall_ns = 1'500'000'000;
constexpr std::size_t most_probe_descriptors = 512;
// For whole CPUs: as many processes with enough samples represent the machine's programs.
constexpr std::size_t enough_processes = 8;

void check_opened(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

void session::choose_stacks() {
  const auto& options = facts_.options;
  auto& stacks = facts_.stacks;
  stacks.why = "requested";
  if (options.stacks == stack_method::frame_pointers) return;
  const auto copying = with_copies(facts_.choice.how, options.stack_bytes);
  const int error = try_sampling(facts_.choice, copying, options);
  if (error != 0 && options.stacks == stack_method::copies) {
    throw failure{exit_code::unable,
                  "stacks cannot be copied here: perf_event_open returns " + error_text(error),
                  "record stacks by frame pointers (--stacks fp), or use the default (auto)"};
  }
  if (error != 0) {
    stacks.why = "stacks cannot be copied here: perf_event_open returns " + error_text(error);
    return;
  }
  stacks.kind = stack_kind::copies;
  if (options.stacks == stack_method::automatic) stacks = probe_stacks();
  if (stacks.kind == stack_kind::frame_pointers) return;
  facts_.choice.how = copying;
  check_space();
}

stack_choice session::probe_stacks() {
  try {
    switch (facts_.options.kind) {
      case target_kind::command:
        return inspect_command();
      case target_kind::process:
        return probe_processes();
      case target_kind::cpus:
      case target_kind::cgroup:
        return probe_cpus();
    }
  } catch (const std::system_error& error) {
    return {stack_kind::copies, std::string{"the target could not be probed: "} + error.what(), {}};
  }
  return {};
}

stack_choice session::inspect_command() const {
  const auto& command = facts_.options.command;
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
  const auto name = files.empty() ? command.front() : files.front().path;
  return decide_for_command(name.substr(name.rfind('/') + 1), frame_pointer_share(parts));
}

std::vector<process_evidence> session::evidence_of(const std::map<pid_t, probe_tally>& tallies,
                                                   table_store& tables) const {
  std::vector<process_evidence> all;
  for (const auto& [pid, tally] : tallies) {
    process_evidence evidence{pid, tally.name, tally.samples, tally.whole, {}};
    if (evidence.name.empty()) evidence.name = proc_.thread_name(pid, pid);
    if (facts_.options.kind == target_kind::process && !samples_decide(tally.samples, tally.whole))
      evidence.code_share = process_code{proc_, pid, tables}.frame_pointer_share();
    all.push_back(std::move(evidence));
  }
  return all;
}

stack_choice session::probe_processes() {
  const auto& pids = facts_.options.pids;
  const auto limit = time_limit::after(probing_cpu_ns, probing_wall_ns);
  table_store tables{limit};
  stack_probe probe{probe_attribute(facts_.choice.how.user_only),
                    perf_events::parse_cpu_list(facts_.cpus), proc_, tables};
  const auto budget = std::min(most_probe_descriptors, descriptor_limit_ / 2);
  check_opened(probe.open_processes(pids, budget), "perf_event_open");
  probe.collect(pids.size(), monotonic_ns() + collecting_ns);
  auto tallies = probe.judge(limit);
  for (const pid_t pid : pids) tallies[pid];  // adds the idle processes
  return decide_per_process(evidence_of(tallies, tables));
}

stack_choice session::probe_cpus() {
  const auto limit = time_limit::after(probing_cpu_ns, probing_wall_ns);
  table_store tables{limit};
  stack_probe probe{probe_attribute(facts_.choice.how.user_only),
                    perf_events::parse_cpu_list(facts_.cpus), proc_, tables};
  const bool cgroup = facts_.options.kind == target_kind::cgroup;
  check_opened(probe.open_cpus(cgroup ? cgroup_.fd.get() : -1, cgroup ? PERF_FLAG_PID_CGROUP : 0UL),
               "perf_event_open");
  probe.collect(enough_processes, monotonic_ns() + collecting_ns);
  return decide_for_all(evidence_of(probe.judge(limit), tables));
}

void session::copy_all_stacks() {
  auto& stacks = facts_.stacks;
  stacks.kind = stack_kind::copies;
  stacks.why += "; sampling whole CPUs needs one method for all processes";
  for (auto& process : stacks.processes) process.kind = stack_kind::copies;
  attributes_ = {perf_events::sampling_attribute(facts_.choice.event, facts_.choice.how)};
  facts_.choice.attribute = attributes_.front();
}

void session::set_attributes() {
  auto how = facts_.choice.how;
  how.wakeup_bytes = static_cast<std::uint32_t>(rings_.data_bytes / 4);
  facts_.choice.how = how;
  attributes_ = {perf_events::sampling_attribute(facts_.choice.event, how)};
  if (facts_.stacks.kind == stack_kind::mixed) {
    how.stack_bytes = 0;
    attributes_.push_back(perf_events::sampling_attribute(facts_.choice.event, how));
  }
  facts_.choice.attribute = attributes_.front();
}

void session::check_space() {
  const auto free_bytes = output_->free_bytes();
  const auto cpus = perf_events::parse_cpu_list(facts_.cpus).size();
  if (!free_bytes) return;
  if (auto warning = space_warning(facts_.choice.how, cpus, facts_.options.duration_s, *free_bytes))
    facts_.warnings.push_back(std::move(*warning));
}

}  // namespace stallscope::collect
