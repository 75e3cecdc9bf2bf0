// The processes that are not read any more, because their files or memory blocked a
// helper or ended it. A user with several such processes is excluded with all processes, since it
// could start others without end. Any thread may call the functions; a check costs an atomic load
// while nothing is excluded.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/procfs.hpp"

namespace stallscope::collect {

class process_exclusions {
 public:
  explicit process_exclusions(const procfs& proc) : proc_{proc} {}

  // Excludes a process, and its user after several processes.
  void add(pid_t pid);
  // A process ended or started another program. Its user stays excluded.
  void forget(pid_t pid);
  [[nodiscard]] bool contains(pid_t pid);
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::optional<uid_t> user_of(pid_t pid) const;

  procfs proc_;
  std::atomic<bool> any_ = false;
  std::mutex mutex_;  // guards the members below
  std::set<pid_t> processes_;
  std::map<uid_t, std::size_t> users_;  // number of excluded processes
};

}  // namespace stallscope::collect
