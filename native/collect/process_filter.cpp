#include "collect/process_filter.hpp"

#include <algorithm>

namespace stallscope::collect {

void process_filter::note_first_children(const procfs& proc) {
  for (const pid_t pid : followed_) {
    for (const pid_t child : proc.children(pid)) first_children_.insert(child);
  }
}

void process_filter::follow_new_children(const procfs& proc) {
  std::vector<pid_t> pending(followed_.begin(), followed_.end());
  while (!pending.empty()) {
    const pid_t pid = pending.back();
    pending.pop_back();
    for (const pid_t child : proc.children(pid)) {
      if (first_children_.contains(child) || !followed_.insert(child).second) continue;
      pending.push_back(child);
    }
  }
}

void process_filter::observe(const perf_events::record_view& record, std::size_t /*ring_index*/) {
  if (record.type() == PERF_RECORD_FORK) forks_.emplace_back(record);
}

void process_filter::settle() {
  std::sort(forks_.begin(), forks_.end(),
            [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  for (const auto& fork : forks_) {
    if (fork.pid == fork.parent_pid) continue;
    if (followed_.contains(fork.parent_pid)) {
      followed_.insert(fork.pid);
    } else {
      followed_.erase(fork.pid);  // the reused pid of an earlier descendant
    }
  }
  forks_.clear();
}

bool process_filter::keep(const perf_events::record_view& record) const {
  switch (record.type()) {
    case PERF_RECORD_SAMPLE:
      return followed_.contains(perf_events::sample_fields_view{record}.pid);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      return followed_.contains(static_cast<pid_t>(record.u32(8)));
    default:
      return true;
  }
}

}  // namespace stallscope::collect
