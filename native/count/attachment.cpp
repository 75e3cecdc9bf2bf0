#include "count/attachment.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <unordered_set>

#include "collect/refusal.hpp"
#include "count/event_refusal.hpp"

namespace stallscope::count {
namespace {

constexpr std::size_t max_descriptors = 16'384;
constexpr int max_attempts = 12;

failure gone() {
  return {exit_code::target_failed, "the target ended before it could be counted",
          "start it under the collector: stallscope-collect count ... -- COMMAND"};
}

}  // namespace

std::string mode_of(const count_options& options) {
  switch (options.target) {
    case count_target::cpus:
      return "per-cpu";
    case count_target::cgroup:
      return "cgroup";
    case count_target::threads:
      return "per-thread";
    default:
      return options.per_thread ? "per-thread" : "per-process";
  }
}

std::string scope_name_of(const count_options& options) {
  const auto mode = mode_of(options);
  return mode == "per-cpu"      ? "cpu"
         : mode == "cgroup"     ? "cgroup"
         : mode == "per-thread" ? "tid"
                                : "pid";
}

attachment::attachment(const procfs& proc, const count_options& options,
                       const counting_choice& choice, std::size_t descriptor_limit)
    : proc_{&proc},
      options_{&options},
      table_{choice},
      max_descriptors_{std::min(max_descriptors, descriptor_limit / 2)} {}

void attachment::attach(const attached_target& target) {
  switch (options_->target) {
    case count_target::processes:
      options_->per_thread ? attach_threads() : attach_processes();
      break;
    case count_target::threads:
      attach_threads();
      break;
    case count_target::command: {
      const auto scope = table_.add_scope({target.command, {}, {}, {}});
      if (const int error = table_.open(scope, {target.command, -1}))
        throw counting_refused(error, "the command");
      if (counts_phases(*options_)) return;
      enabled_ = true;
      return;  // the exec enables the counters
    }
    case count_target::cpus:
    case count_target::cgroup:
      attach_cpus(target);
      break;
  }
  if (!counts_phases(*options_)) enable();
}

void attachment::enable() {
  enabled_ = true;
  table_.enable_all();
}

void attachment::disable() {
  enabled_ = false;
  table_.disable_all();
}

void attachment::check_budget(std::size_t members) const {
  const auto needed = members * table_.descriptors_per_member();
  if (needed <= max_descriptors_) return;
  throw failure{
      exit_code::unable,
      "counting needs one descriptor per event and thread or CPU: " + std::to_string(needed) +
          " descriptors, but at most " + std::to_string(max_descriptors_) + " may be open",
      "count fewer events at once, or count its cgroup (-G) or CPUs (-C); the "
      "limit is half the limit of open files (ulimit -n), at most " +
          std::to_string(max_descriptors)};
}

// Returns all threads and children of the processes.
std::vector<pid_t> attachment::family() const {
  std::vector<pid_t> tids;
  for (const pid_t pid : options_->pids) {
    for (const pid_t tid : proc_->threads(pid)) tids.push_back(tid);
    for (const pid_t child : proc_->children(pid)) tids.push_back(child);
  }
  return tids;
}

// A thread created while its parent is being opened inherits some of the counters, none, or half of
// a group, and the kernel does not report which. So all counters are opened again until no thread
// was created during the opening. They are enabled afterwards.
void attachment::attach_processes() {
  for (const pid_t pid : options_->pids) table_.add_scope({pid, {}, {}, {}});
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    table_.close_all();
    if (attach_once()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{1 << std::min(attempt, 5)});
  }
  warnings_.push_back({"attach-unsettled",
                       "the target created threads faster than they could be attached: some of "
                       "the new threads may be missing or counted in part; count its cgroup (-G) "
                       "instead"});
}

// Returns whether no thread was created during the opening.
bool attachment::attach_once() {
  const auto before = family();
  check_budget(before.size());
  for (std::size_t scope = 0; scope < options_->pids.size(); ++scope) {
    const pid_t pid = options_->pids[scope];
    for (const pid_t tid : proc_->threads(pid)) {
      const int error = table_.open(scope, {tid, -1});
      if (error != 0 && error != ESRCH)
        throw counting_refused(error, "process " + std::to_string(pid));
    }
  }
  if (table_.members() == 0) throw gone();
  const std::unordered_set<pid_t> known{before.begin(), before.end()};
  const auto after = family();
  return std::all_of(after.begin(), after.end(), [&](pid_t tid) { return known.contains(tid); });
}

int attachment::add_thread(pid_t pid, pid_t tid) {
  line_scope name;
  if (pid > 0) name.pid = pid;
  name.tid = tid;
  const auto scope = table_.add_scope(std::move(name));
  const int error = table_.open(scope, {tid, -1});
  if (error == 0) scope_of_thread_.emplace(tid, scope);
  return error;
}

void attachment::attach_threads() {
  std::vector<std::pair<pid_t, pid_t>> threads;
  for (const pid_t pid : options_->pids) {
    for (const pid_t tid : proc_->threads(pid)) threads.emplace_back(pid, tid);
  }
  for (const pid_t tid : options_->tids) {
    const auto status = proc_->status(tid);
    threads.emplace_back(status ? status->tgid : -1, tid);
  }
  check_budget(threads.size());
  for (const auto& [pid, tid] : threads) {
    const int error = add_thread(pid, tid);
    if (error != 0 && error != ESRCH)
      throw counting_refused(error, "thread " + std::to_string(tid));
  }
  if (table_.members() == 0) throw gone();
}

void attachment::follow_threads(std::uint64_t window, counter_log& log) {
  if (!options_->per_thread || !follows_) return;
  std::unordered_set<pid_t> alive;
  for (const pid_t pid : options_->pids) {
    for (const pid_t tid : proc_->threads(pid)) {
      alive.insert(tid);
      if (scope_of_thread_.contains(tid)) continue;
      const bool room = table_.descriptors() + table_.descriptors_per_member() <= max_descriptors_;
      if (room && add_thread(pid, tid) == 0) {
        if (enabled_) table_.enable(scope_of_thread_.at(tid));
      } else if (!room) {
        follows_ = false;
        warnings_.push_back({"threads-not-followed",
                             "threads created later are not counted: at most " +
                                 std::to_string(max_descriptors_) + " descriptors may be open"});
        return;
      }
    }
  }
  std::erase_if(scope_of_thread_, [&](const auto& entry) {
    if (alive.contains(entry.first)) return false;
    table_.read_scope(entry.second, window, log);
    table_.drop(entry.second);
    return true;
  });
}

void attachment::attach_cpus(const attached_target& target) {
  const bool cgroup = options_->target == count_target::cgroup;
  check_budget(target.cpus.size());
  for (const int cpu : target.cpus) {
    const auto scope = table_.add_scope({{}, {}, cpu, cgroup ? options_->cgroup : std::string{}});
    const perf_events::event_place place =
        cgroup ? perf_events::event_place{target.cgroup->fd.get(), cpu, PERF_FLAG_PID_CGROUP}
               : perf_events::event_place{-1, cpu};
    const int error = table_.open(scope, place);
    if (error == 0) continue;
    if (cgroup) throw collect::cgroup_refusal(error, target.cgroup->path, cpu);
    throw counting_refused(error, "CPU " + std::to_string(cpu));
  }
}

}  // namespace stallscope::count
