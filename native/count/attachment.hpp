// Opens the counters of each kind of target. Descriptors are members x events: bounded, since each
// costs 3 KB of kernel memory. One thread.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/failure.hpp"
#include "base/procfs.hpp"
#include "collect/target.hpp"
#include "count/counter_table.hpp"
#include "count/options.hpp"

namespace stallscope::count {

struct attached_target {
  pid_t command = -1;
  collect::open_cgroup cgroup;
  std::vector<int> cpus;
};

class attachment {
 public:
  // What is passed must outlive it. A command's counters begin at its exec, all others with this.
  attachment(const procfs& proc, const count_options& options, const counting_choice& choice,
             std::size_t descriptor_limit);

  // Throws failure where the kernel refuses, or the target is too large or gone.
  void attach(const attached_target& target);
  // Counts threads that were born since, where each is counted for itself, and reads and closes
  // those that have ended.
  void follow_threads(std::uint64_t window, counter_log& log);

  [[nodiscard]] counter_table& table() { return table_; }
  [[nodiscard]] const counter_table& table() const { return table_; }
  // "per-process", "per-thread", "per-cpu", "cgroup"
  [[nodiscard]] std::string mode() const;
  [[nodiscard]] std::string scope_name() const;
  [[nodiscard]] std::vector<warning>& warnings() { return warnings_; }

 private:
  void attach_processes();
  bool attach_once();
  void attach_threads();
  void attach_cpus(const attached_target& target);
  int add_thread(pid_t pid, pid_t tid);
  [[nodiscard]] std::vector<pid_t> family() const;
  void check_budget(std::size_t members) const;

  const procfs* proc_;
  const count_options* options_;
  counter_table table_;
  std::size_t most_descriptors_;
  std::unordered_map<pid_t, std::size_t> scope_of_thread_;
  bool follows_ = true;
  std::vector<warning> warnings_;
};

}  // namespace stallscope::count
