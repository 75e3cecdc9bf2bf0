#include "collect/attached_recording.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/clock.hpp"
#include "base/stop_flag.hpp"
#include "collect/group_choice.hpp"
#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

// A limit, because every descriptor costs 3 KB of kernel memory and time in each fork of the
// target.
constexpr std::size_t max_descriptors = 4096;

// A group counts once against max_descriptors, and with all its events against this limit.
constexpr std::size_t max_group_descriptors = 4 * max_descriptors;

constexpr const char* mode_threads = "per-thread";
constexpr const char* mode_cpus = "per-cpu";
constexpr const char* mode_filtered = "per-cpu filtered";

auto refusal_of(std::string target) {
  return [target = std::move(target)](int error, int cpu) { return refusal(error, target, cpu); };
}

}  // namespace

attached_recording::attached_recording(opened_recording& opened) : opened_{&opened} {
  auto& facts = opened.facts();
  auto& records = opened.records();
  const bool header_is_written = opened.has_single_event();
  records.hold(header_is_written ? holding::until_crowded : holding::strictly);
  if (facts.options.waits) {
    waits_.emplace(opened);
    waits_->open_cpu_events();
    owners_.emplace(opened);
  }
  attach();
  if (waits_) waits_->start(*events_, attached_sieve());
  if (owners_) owners_->start(*events_);
  if (auto* python = opened.python()) python->start(filter_.get());
  if (auto* runtimes = opened.runtimes()) runtimes->start(filter_.get());
  facts.attach.descriptors = events_->open_count() * events_->events_per_slot();
  facts.attach.settled_ns = monotonic_ns();
  facts.attach.opened_ns = threads_ ? threads_->opened_ns() : facts.attach.settled_ns;
  if (!header_is_written) {
    opened.write_header(&*events_, waits_ ? waits_->cpu_events() : nullptr);
    records.hold(holding::until_crowded);
  }
  if (waits_) waits_->read_target("start");
  synthesize();
  if (waits_) waits_->write_names_of_others();
  records.hold(holding::none);
}

attached_recording::~attached_recording() { opened_->records().set_sieve(nullptr); }

void attached_recording::write_lock_owners(bool end) {
  if (!owners_) return;
  if (end) {
    owners_->finish(*waits_);
  } else {
    owners_->pass(*waits_);
  }
}

bool attached_recording::of_threads() const {
  return threads_ != nullptr || opened_->facts().options.kind == target_kind::command;
}

std::size_t attached_recording::duplicates_closed() const {
  return threads_ ? threads_->duplicates_closed() : 0;
}

void attached_recording::attach() {
  switch (opened_->facts().options.kind) {
    case target_kind::process:
      attach_threads();
      break;
    case target_kind::command:
      attach_command();
      break;
    case target_kind::cpus:
    case target_kind::cgroup:
      attach_cpus();
      break;
  }
}

void attached_recording::open_table() {
  events_.emplace(opened_->attributes(), opened_->rings().rings,
                  attributes_of(opened_->facts().choice), companions());
}

std::vector<perf_event_attr> attached_recording::companions() const {
  std::vector<perf_event_attr> attributes;
  for (const auto& event : opened_->facts().waits.of_threads) attributes.push_back(event.attribute);
  return attributes;
}

sieve* attached_recording::attached_sieve() const {
  if (threads_) return threads_.get();
  return filter_.get();
}

// Returns how many events may be opened, counting a group as one.
std::size_t attached_recording::table_budget() const {
  const auto& facts = opened_->facts();
  const std::size_t events_per_group =
      1 + names_of_others(facts.choice).size() + facts.waits.of_threads.size();
  return std::min(
      max_descriptors,
      std::min(opened_->prepared().descriptor_limit / 2, max_group_descriptors) / events_per_group);
}

void attached_recording::open_on_all_cpus(pid_t pid, unsigned long flags, const refuser& refused) {
  const auto& rings = opened_->rings().rings;
  for (std::uint32_t i = 0; i < rings.size(); ++i) {
    const int error = events_->open(pid, i, flags);
    if (error != 0) throw refused(error, rings[i].cpu());
  }
}

void attached_recording::attach_threads() {
  auto& facts = opened_->facts();
  auto& records = opened_->records();
  const auto& proc = opened_->prepared().proc;
  const auto& pids = facts.options.pids;
  for (const pid_t pid : pids) opened_->watch().watch_process(pid);
  const std::size_t budget = table_budget();
  std::size_t needed = 0;
  for (const pid_t pid : pids) needed += proc.threads(pid).size() * opened_->rings().rings.size();
  if (needed > budget) {
    attach_filtered();
    return;
  }
  open_table();
  threads_ = std::make_unique<thread_attach>(proc, *events_, budget, facts.choice.how.inherit);
  for (const auto& process : facts.stacks.processes) {
    if (opened_->attributes().size() > 1 && process.kind == stack_kind::frame_pointers)
      threads_->set_attribute(process.pid, 1);
  }
  records.set_sieve(threads_.get());
  try {
    if (!threads_->attach(pids, records)) {
      facts.warnings.push_back({"attach-unsettled",
                                "the target created threads faster than they could be attached: "
                                "some of the new threads may be missing"});
    }
  } catch (const too_many_descriptors&) {
    events_->close_all();
    records.set_sieve(nullptr);
    threads_.reset();
    attach_filtered();
    return;
  }
  if (threads_->refused() != 0) {
    facts.warnings.push_back(
        {"threads-refused", std::to_string(threads_->refused()) +
                                " threads of new children are left out: they run as another user, "
                                "whose processes this user may not observe"});
  }
  facts.attach.mode = mode_threads;
  facts.attach.threads = threads_->threads_opened();
  facts.pids.assign(threads_->processes().begin(), threads_->processes().end());
}

void attached_recording::attach_filtered() {
  auto& facts = opened_->facts();
  const std::size_t budget = table_budget();
  opened_->leave_group();
  if (facts.stacks.kind == stack_kind::mixed) opened_->copy_all_stacks();
  auto whole = facts.choice.how;
  whole.inherit = false;
  for (auto& event : facts.waits.of_threads) event.attribute.inherit = 0;
  events_.emplace(std::vector{perf_events::sampling_attribute(facts.choice.event, whole)},
                  opened_->rings().rings, group_attributes{}, companions());
  filter_ = std::make_unique<process_filter>(facts.options.pids);
  opened_->records().set_sieve(filter_.get());
  filter_->note_first_children(opened_->prepared().proc);
  try {
    open_on_all_cpus(-1, 0, refusal_of("all processes"));
  } catch (const failure&) {
    throw failure{exit_code::unable,
                  "the target has too many threads for one event per thread and CPU (at most " +
                      std::to_string(budget) + " descriptors, half the limit of open files or " +
                      std::to_string(max_descriptors) +
                      "), and this user may not sample whole CPUs instead",
                  "raise the limit of open files (ulimit -n), or " + privilege_remedy()};
  }
  keep_processes_of_filter();
  facts.attach.mode = mode_filtered;
  facts.warnings.push_back({"per-cpu-filtered",
                            "the target has too many threads for one event per thread: whole CPUs "
                            "are sampled and the samples of other processes left out"});
}

void attached_recording::keep_processes_of_filter() {
  auto& facts = opened_->facts();
  const auto& proc = opened_->prepared().proc;
  filter_->follow_new_children(proc);
  opened_->records().relieve();
  facts.pids.assign(filter_->followed().begin(), filter_->followed().end());
  std::sort(facts.pids.begin(), facts.pids.end());
  for (const pid_t pid : facts.pids) facts.attach.threads += proc.threads(pid).size();
}

void attached_recording::attach_cpus() {
  auto& facts = opened_->facts();
  open_table();
  facts.attach.mode = mode_cpus;
  if (facts.options.kind == target_kind::cgroup) {
    const auto& cgroup = opened_->prepared().cgroup;
    open_on_all_cpus(cgroup.fd.get(), PERF_FLAG_PID_CGROUP, [&cgroup](int error, int cpu) {
      return cgroup_refusal(error, cgroup.path, cpu);
    });
  } else {
    open_on_all_cpus(-1, 0, refusal_of("all processes"));
  }
}

void attached_recording::attach_command() {
  auto& facts = opened_->facts();
  const pid_t pid = opened_->prepared().command->pid();
  open_table();
  open_on_all_cpus(pid, 0, refusal_of("the command"));
  facts.attach.mode = mode_threads;
  facts.attach.threads = 1;
  facts.pids = {pid};
}

std::vector<pid_t> attached_recording::existing_processes() {
  auto& facts = opened_->facts();
  switch (facts.options.kind) {
    case target_kind::command:
      break;  // its exec will be recorded
    case target_kind::cpus:
      return opened_->prepared().proc.processes();
    case target_kind::cgroup:
      facts.pids = processes_of_cgroup(opened_->prepared().cgroup.path);
      return facts.pids;
    case target_kind::process:
      return facts.pids;
  }
  return {};
}

void attached_recording::synthesize() {
  auto& facts = opened_->facts();
  auto& targets = *opened_->prepared().targets;
  auto& samples = opened_->files().samples();
  const bool with_tables = facts.stacks.kind != stack_kind::frame_pointers;
  for (const pid_t pid : existing_processes()) {
    if (stop_requested()) {
      facts.warnings.push_back({"mappings-incomplete",
                                "the recording was ended while it started: the samples of some "
                                "processes will have no names"});
      break;
    }
    targets.write_records(
        pid, with_tables, [&samples](std::span<const std::byte> bytes) { samples.append(bytes); },
        [this] { opened_->records().relieve(); });
    opened_->records().relieve();
  }
  for (auto& warning : targets.finish()) facts.warnings.push_back(std::move(warning));
}

}  // namespace stallscope::collect
