// How a session opens its events for each kind of target.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "collect/group_choice.hpp"
#include "collect/refusal.hpp"
#include "collect/session.hpp"
#include "collect/synthesize.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {
namespace {

// A limit, because every descriptor costs 3 KB of kernel memory and time in each fork of the
// target.
constexpr std::size_t most_descriptors = 4096;

// A group counts once against most_descriptors, and with all its events against this limit.
constexpr std::size_t most_group_descriptors = 4 * most_descriptors;

constexpr const char* mode_threads = "per-thread";
constexpr const char* mode_cpus = "per-cpu";
constexpr const char* mode_filtered = "per-cpu filtered";

auto refusal_of(std::string target) {
  return [target = std::move(target)](int error, int cpu) { return refusal(error, target, cpu); };
}

}  // namespace

void session::open_rings_for_cpus() {
  const auto& options = facts_.options;
  const auto cpus = perf_events::parse_cpu_list(facts_.cpus);
  const std::size_t ring_bytes =
      options.ring_bytes != 0
          ? options.ring_bytes
          : ring_bytes_for(facts_.choice.how, cpus.size(), facts_.host.memory_bytes);
  try {
    rings_ = perf_events::open_rings(cpus, ring_bytes);
  } catch (const std::system_error& error) {
    throw failure{exit_code::unable,
                  std::string{"the ring buffers cannot be opened: "} + error.what(),
                  "raise the limits of locked memory (ulimit -l, kernel.perf_event_mlock_kb) and "
                  "open files (ulimit -n)"};
  }
  facts_.attach.ring_bytes = rings_.data_bytes;
  if (rings_.data_bytes < ring_bytes) {
    facts_.warnings.push_back(
        {"small-rings", "the ring buffers have only " + std::to_string(rings_.data_bytes >> 10U) +
                            " KiB each: the limit of locked memory allows no more (ulimit -l)"});
  }
  watch_.watch_rings(rings_.rings);
}

void session::attach() {
  const bool header_is_written = has_single_event();
  drain_->hold(header_is_written ? holding::until_crowded : holding::strictly);
  switch (facts_.options.kind) {
    case target_kind::process:
      attach_threads();
      break;
    case target_kind::command:
      attach_command();
      break;
    case target_kind::cpus:
    case target_kind::cgroup:
      attach_whole_cpus();
      break;
  }
  start_python();
  facts_.attach.descriptors = events_->open_count() * events_->events_in_group();
  facts_.attach.settled_ns = monotonic_ns();
  facts_.attach.opened_ns = threads_ ? threads_->opened_ns() : facts_.attach.settled_ns;
  if (!header_is_written) {
    write_header();
    drain_->hold(holding::until_crowded);
  }
  synthesize();
  drain_->hold(holding::none);
}

void session::make_event_table() {
  events_.emplace(attributes_, rings_.rings, attributes_of(facts_.choice));
}

// Returns how many events may be opened, counting a group as one.
std::size_t session::table_budget() const {
  const std::size_t events_per_group = 1 + names_of_others(facts_.choice).size();
  return std::min(most_descriptors,
                  std::min(descriptor_limit_ / 2, most_group_descriptors) / events_per_group);
}

void session::open_on_all_cpus(pid_t pid, unsigned long flags, const refuser& refused) {
  for (std::uint32_t i = 0; i < rings_.rings.size(); ++i) {
    const int error = events_->open(pid, i, flags);
    if (error != 0) throw refused(error, rings_.rings[i].cpu());
  }
}

void session::attach_threads() {
  const auto& pids = facts_.options.pids;
  for (const pid_t pid : pids) watch_.watch_process(pid);
  const std::size_t budget = table_budget();
  std::size_t needed = 0;
  for (const pid_t pid : pids) needed += proc_.threads(pid).size() * rings_.rings.size();
  if (needed > budget) {
    attach_filtered();
    return;
  }
  make_event_table();
  threads_ = std::make_unique<thread_attach>(proc_, *events_, budget, facts_.choice.how.inherit);
  for (const auto& process : facts_.stacks.processes) {
    if (attributes_.size() > 1 && process.kind == stack_kind::frame_pointers)
      threads_->set_attribute(process.pid, 1);
  }
  drain_->set_sieve(threads_.get());
  try {
    if (!threads_->attach(pids, *drain_)) {
      facts_.warnings.push_back({"attach-unsettled",
                                 "the target created threads faster than they could be attached: "
                                 "some of the new threads may be missing"});
    }
  } catch (const too_many_descriptors&) {
    events_->close_all();
    drain_->set_sieve(nullptr);
    threads_.reset();
    attach_filtered();
    return;
  }
  if (threads_->refused() != 0) {
    facts_.warnings.push_back(
        {"threads-refused", std::to_string(threads_->refused()) +
                                " threads of new children are left out: they run as another user, "
                                "whose processes this user may not observe"});
  }
  facts_.attach.mode = mode_threads;
  facts_.attach.threads = threads_->threads_opened();
  facts_.pids.assign(threads_->processes().begin(), threads_->processes().end());
}

// Counts of whole CPUs are not those of the target, and between its samples others were left out.
void session::leave_group() {
  if (!facts_.choice.how.read_group) return;
  facts_.choice.how.read_group = false;
  attributes_ = {perf_events::sampling_attribute(facts_.choice.event, facts_.choice.how)};
  facts_.choice.attribute = attributes_.front();
  facts_.warnings.push_back(
      {"group-not-counted",
       "the target has too many threads for a group of events per thread, so the "
       "events are not counted with the samples; sample whole CPUs (-a)"});
}

void session::attach_filtered() {
  const std::size_t budget = table_budget();
  leave_group();
  if (facts_.stacks.kind == stack_kind::mixed) copy_all_stacks();
  auto whole = facts_.choice.how;
  whole.inherit = false;
  events_.emplace(std::vector{perf_events::sampling_attribute(facts_.choice.event, whole)},
                  rings_.rings);
  filter_ = std::make_unique<process_filter>(facts_.options.pids);
  drain_->set_sieve(filter_.get());
  filter_->note_first_children(proc_);
  try {
    open_on_all_cpus(-1, 0, refusal_of("all processes"));
  } catch (const failure&) {
    throw failure{exit_code::unable,
                  "the target has too many threads for one event per thread and CPU (at most " +
                      std::to_string(budget) + " descriptors, half the limit of open files or " +
                      std::to_string(most_descriptors) +
                      "), and this user may not sample whole CPUs instead",
                  "raise the limit of open files (ulimit -n), or " + privilege_remedy()};
  }
  filter_->follow_new_children(proc_);
  drain_->relieve();
  facts_.pids.assign(filter_->followed().begin(), filter_->followed().end());
  std::sort(facts_.pids.begin(), facts_.pids.end());
  for (const pid_t pid : facts_.pids) facts_.attach.threads += proc_.threads(pid).size();
  facts_.attach.mode = mode_filtered;
  facts_.warnings.push_back({"per-cpu-filtered",
                             "the target has too many threads for one event per thread: whole CPUs "
                             "are sampled and the samples of other processes left out"});
}

void session::attach_whole_cpus() {
  make_event_table();
  facts_.attach.mode = mode_cpus;
  if (facts_.options.kind == target_kind::cgroup) {
    open_on_all_cpus(cgroup_.fd.get(), PERF_FLAG_PID_CGROUP, [this](int error, int cpu) {
      return cgroup_refusal(error, cgroup_.path, cpu);
    });
  } else {
    open_on_all_cpus(-1, 0, refusal_of("all processes"));
  }
}

void session::attach_command() {
  make_event_table();
  open_on_all_cpus(command_->pid(), 0, refusal_of("the command"));
  facts_.attach.mode = mode_threads;
  facts_.attach.threads = 1;
  facts_.pids = {command_->pid()};
}

void session::synthesize() {
  synthesizer writer{proc_, *file_, facts_.stacks.kind != stack_kind::frame_pointers,
                     [this] { drain_->relieve(); }};
  switch (facts_.options.kind) {
    case target_kind::command:
      break;  // its exec will be recorded
    case target_kind::cpus:
      writer.all_processes();
      break;
    case target_kind::process:
      for (const pid_t pid : facts_.pids) writer.process(pid);
      break;
    case target_kind::cgroup:
      facts_.pids = processes_of_cgroup(cgroup_.path);
      for (const pid_t pid : facts_.pids) writer.process(pid);
      break;
  }
}

}  // namespace stallscope::collect
