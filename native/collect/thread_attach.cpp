#include "collect/thread_attach.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/stop_flag.hpp"
#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

constexpr auto between_scans = std::chrono::milliseconds{2};
constexpr std::size_t min_quiet_scans = 3;
// The longest creation of a thread, preemption included. Its fork record is written at the end, so
// its parent may have been opened during the creation.
constexpr std::uint64_t birth_ns = 20'000'000;
constexpr std::uint64_t max_attach_ns = 3'000'000'000;

}  // namespace

bool thread_attach::attach(std::span<const pid_t> pids, drain& rings) {
  attaching_ = true;
  processes_.insert(pids.begin(), pids.end());
  open_first(pids);
  const auto deadline = monotonic_ns() + max_attach_ns;
  std::size_t quiet = 0;
  while (!settled(quiet) && monotonic_ns() < deadline && !stop_requested()) {
    std::this_thread::sleep_for(between_scans);
    rings.pass();
    const bool announced = open_announced();
    const bool unannounced = open_unannounced();
    quiet = announced || unannounced ? 0 : quiet + 1;
  }
  attaching_ = false;
  return settled(quiet);
}

bool thread_attach::settled(std::size_t quiet_scans) const {
  return quiet_scans >= min_quiet_scans && monotonic_ns() > last_opened_ns_ + birth_ns;
}

void thread_attach::open_first(std::span<const pid_t> pids) {
  std::vector<std::pair<pid_t, pid_t>> tids;  // with their processes
  for (const pid_t pid : pids) {
    for (const pid_t child : proc_->children(pid)) first_children_.insert(child);
    for (const pid_t tid : proc_->threads(pid)) tids.emplace_back(pid, tid);
  }
  // These threads existed before the first event was opened, so none of them inherited an event.
  for (const auto& [pid, tid] : tids) open_thread(pid, tid, false);
  first_opened_ns_ = monotonic_ns();
}

void thread_attach::inherit_attribute(pid_t parent, pid_t child) {
  const auto entry = attributes_.find(parent);
  if (entry != attributes_.end()) attributes_.emplace(child, entry->second);
}

bool thread_attach::open_thread(pid_t pid, pid_t tid, bool late) {
  const auto rings = events_->rings();
  const auto entry = attributes_.find(pid);
  const std::uint32_t attribute = entry == attributes_.end() ? 0 : entry->second;
  if (events_->open_count() + rings.size() > max_descriptors_) {
    throw too_many_descriptors("more than " + std::to_string(max_descriptors_) + " descriptors");
  }
  bool opened = false;
  for (std::uint32_t i = 0; i < rings.size(); ++i) {
    const int error = events_->open(tid, i, 0, attribute);
    if (error == ESRCH) break;  // it has ended
    if (error == EMFILE || error == ENFILE) throw too_many_descriptors("the limit of descriptors");
    // A new thread may belong to another user by now, through a set-user-ID program.
    if (late && (error == EACCES || error == EPERM)) {
      refused_.insert(tid);
      break;
    }
    if (error != 0) throw refusal(error, "thread " + std::to_string(tid), rings[i].cpu());
    opened = true;
    if (late) duplicates_.suspect(events_->size() - 1);
  }
  last_opened_ns_ = monotonic_ns();
  complete_at_ns_[tid] = last_opened_ns_;
  opened_ += opened ? 1 : 0;
  return opened;
}

bool thread_attach::open_announced() {
  bool opened = false;
  for (const auto& [tid, pid] : std::exchange(uncertain_, {})) {
    if (!open_thread(pid, tid, true)) continue;
    opened = true;
    processes_.insert(pid);
  }
  return opened;
}

bool thread_attach::open_if_seen_before(pid_t pid, pid_t tid, std::unordered_set<pid_t>& seen_now) {
  if (complete_at_ns_.contains(tid)) return false;
  if (!seen_.contains(tid)) {
    seen_now.insert(tid);
    return false;
  }
  return open_thread(pid, tid, true);
}

bool thread_attach::open_unannounced() {
  bool opened = false;
  std::unordered_set<pid_t> seen_now;
  const std::vector<pid_t> processes{processes_.begin(), processes_.end()};
  for (const pid_t pid : processes) {
    for (const pid_t tid : proc_->threads(pid))
      opened = open_if_seen_before(pid, tid, seen_now) || opened;
    for (const pid_t child : proc_->children(pid)) {
      if (first_children_.contains(child)) continue;
      inherit_attribute(pid, child);
      if (!open_if_seen_before(child, child, seen_now)) continue;
      processes_.insert(child);
      opened = true;
    }
  }
  seen_ = std::move(seen_now);
  return opened;
}

void thread_attach::observe(const perf_events::record_view& record, std::size_t ring_index) {
  if (attaching_ && record.type() == PERF_RECORD_FORK) forks_.emplace_back(record);
  duplicates_.observe(record, ring_index);
}

void thread_attach::settle() {
  // Held records are not decided yet: only passes that write count as rounds.
  if (!attaching_) duplicates_.settle();
  std::sort(forks_.begin(), forks_.end(),
            [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  for (const auto& fork : forks_) apply(fork);
  forks_.clear();
}

void thread_attach::apply(const fork_notice& fork) {
  if (complete_at_ns_.contains(fork.tid)) return;  // announced twice, or already open
  const auto parent = complete_at_ns_.find(fork.parent_tid);
  const bool inherits_all = inherits_ && parent != complete_at_ns_.end() &&
                            (parent->second == 0 || parent->second + birth_ns < fork.time_ns);
  if (inherits_all) {
    complete_at_ns_.emplace(fork.tid, 0);
  } else {
    uncertain_.emplace(fork.tid, fork.pid);
    inherit_attribute(fork.parent_pid, fork.pid);
  }
}

}  // namespace stallscope::collect
