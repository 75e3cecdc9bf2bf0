// Opens the counters for the target. It needs members x events descriptors; their number is bounded
// because every descriptor costs 3 KB of kernel memory. One thread.
//
//   attachment counters{proc, options, choice, descriptor_limit};
//   counters.attach(target);
//   counters.table().read_all(window, log);
#pragma once

#include <span>
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
  const collect::open_cgroup* cgroup = nullptr;
  std::span<const int> cpus;
};

// The attach mode: "per-process", "per-thread", "per-cpu" or "cgroup".
std::string mode_of(const count_options& options);
// The scope of the log's lines: "pid", "tid", "cpu" or "cgroup".
std::string scope_name_of(const count_options& options);

class attachment {
 public:
  // The arguments must outlive the attachment. Without phases, the counters of a command start
  // at its exec, all others with attach().
  attachment(const procfs& proc, const count_options& options, const counting_choice& choice,
             std::size_t descriptor_limit);

  // Throws failure if the kernel refuses, or the target is too large or has ended. With phases,
  // counting begins with enable().
  void attach(const attached_target& target);
  void enable();
  void disable();
  // With separate counts per thread: opens counters for new threads, and reads and closes those of
  // ended threads.
  void follow_threads(std::uint64_t window, counter_log& log);

  [[nodiscard]] counter_table& table() { return table_; }
  [[nodiscard]] const counter_table& table() const { return table_; }
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
  std::size_t max_descriptors_;
  std::unordered_map<pid_t, std::size_t> scope_of_thread_;
  bool follows_ = true;
  bool enabled_ = false;
  std::vector<warning> warnings_;
};

}  // namespace stallscope::count
