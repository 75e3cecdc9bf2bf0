#include "collect/other_names.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace stallscope::collect {
namespace {

// The names of more threads would delay the start of the recording.
constexpr std::size_t max_names_of_others = 8'192;
constexpr std::size_t names_at_once = 256;
// A process that ends within the recording has a name only if it is read before.
constexpr std::uint64_t between_names_ns = 300'000'000;
// Of the recorder's time, for listing the processes.
constexpr std::uint64_t parts_per_listing = 1'000;
constexpr std::size_t max_processes_to_name = 2'048;
constexpr std::size_t max_seen_processes = 65'536;

}  // namespace

bool other_names::of_target(pid_t pid) const {
  const auto& pids = opened_->facts().pids;
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

void other_names::pass() {
  if (monotonic_ns() < next_ns_) return;
  const auto cpu_ns = thread_cpu_ns();
  write_new();
  const auto used_ns = thread_cpu_ns() - cpu_ns;
  next_ns_ = monotonic_ns() + std::max(between_names_ns, used_ns * parts_per_listing);
}

void other_names::write_new() {
  const auto& proc = opened_->prepared().proc;
  const auto processes = proc.processes();
  if (processes.size() > max_processes_to_name) return;
  if (seen_processes_.size() > max_seen_processes) seen_processes_.clear();
  record_buffer names;
  for (const pid_t pid : processes) {
    if (of_target(pid) || !seen_processes_.insert(pid).second) continue;
    put_comm(names, {pid, pid}, proc.thread_name(pid, pid));
  }
  opened_->files().samples().append(names.bytes());
}

void other_names::write_all() {
  const auto& proc = opened_->prepared().proc;
  record_buffer names;
  std::size_t count = 0;
  if (named_threads_.insert(0).second) put_comm(names, {0, 0}, "swapper");
  for (const pid_t pid : proc.processes()) {
    if (of_target(pid)) continue;
    for (const pid_t tid : proc.threads(pid)) {
      if (named_threads_.contains(tid)) continue;
      if (++count > max_names_of_others) break;
      named_threads_.insert(tid);
      put_comm(names, {pid, tid}, proc.thread_name(pid, tid));
      if (count % names_at_once == 0) opened_->records().relieve();
    }
  }
  opened_->files().samples().append(names.bytes());
}

}  // namespace stallscope::collect
