// The groups that are open for a target, and whose counts they are: each scope has one or more
// members (the threads of a process), and every member all groups. A read of a scope's group is one
// system call a member; members are added up. One thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "count/counter_log.hpp"
#include "count/event_trial.hpp"
#include "perf_events/event_group.hpp"

namespace stallscope::count {

class counter_table {
 public:
  // The choice must outlive the table.
  explicit counter_table(const counting_choice& choice) : choice_{&choice} {}

  // A new scope without members; its number.
  std::size_t add_scope(line_scope scope);
  // Opens all groups for a member of a scope; 0 or the kernel's errno, then none is open.
  int open(std::size_t scope, const perf_events::event_place& place);
  void enable(std::size_t scope);
  void enable_all();
  void close_all();
  // Forgets a scope whose target has ended; its counts as they were read last stay in the totals.
  void drop(std::size_t scope);

  // Reads every scope and group into the log.
  void read_all(std::uint64_t window, counter_log& log);
  void read_scope(std::size_t scope, std::uint64_t window, counter_log& log);

  [[nodiscard]] std::size_t descriptors() const;
  [[nodiscard]] std::size_t members() const;
  [[nodiscard]] std::size_t scopes() const { return scopes_.size(); }
  // How many descriptors one member takes.
  [[nodiscard]] std::size_t descriptors_each() const;
  // Of each group the last sum over all scopes.
  [[nodiscard]] std::span<const perf_events::group_reading> totals() const { return totals_; }
  // Reads that the kernel refused, by errno.
  [[nodiscard]] const std::map<int, std::uint64_t>& failed_reads() const { return failed_reads_; }

 private:
  struct scope_entry {
    line_scope scope;
    std::vector<std::vector<perf_events::event_group>> members;  // of each its groups
    std::vector<perf_events::group_reading> last;                // of each group
  };
  static void add_last(const scope_entry& entry, std::vector<perf_events::group_reading>& sums);
  bool read_group(scope_entry& entry, std::size_t group, perf_events::group_reading& sum);
  [[nodiscard]] std::vector<perf_events::event_spec> specs(std::size_t group) const;

  const counting_choice* choice_;
  std::map<std::size_t, scope_entry> scopes_;
  std::size_t next_scope_ = 0;
  std::vector<perf_events::group_reading> ended_;  // sums of what was dropped
  std::vector<perf_events::group_reading> totals_;
  std::map<int, std::uint64_t> failed_reads_;
};

}  // namespace stallscope::count
