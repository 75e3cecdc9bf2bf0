// The open groups of a target. A scope has one or more members (the threads of a process), and
// every member has all groups. The counts of the members are added up. Reading a group of a scope
// costs one system call per member. One thread.
//
//   counter_table table{choice};
//   const auto scope = table.add_scope({pid, {}, {}, {}});
//   table.open(scope, {tid, -1});
//   table.enable_all();
//   table.read_all(window, log);
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

  // Adds a scope without members and returns its number.
  std::size_t add_scope(line_scope scope);
  // Opens all groups for a new member of a scope. Returns 0 or the kernel's errno; after an error
  // no group is open.
  int open(std::size_t scope, const perf_events::event_place& place);
  void enable(std::size_t scope);
  void enable_all();
  void disable_all();
  void close_all();
  // Removes a scope whose target has ended. Its last counts stay in the totals.
  void drop(std::size_t scope);

  // Reads every scope and group into the log.
  void read_all(std::uint64_t window, counter_log& log);
  void read_scope(std::size_t scope, std::uint64_t window, counter_log& log);

  [[nodiscard]] std::size_t descriptors() const;
  [[nodiscard]] std::size_t members() const;
  [[nodiscard]] std::size_t scopes() const { return scopes_.size(); }
  // The number of descriptors per member.
  [[nodiscard]] std::size_t descriptors_per_member() const;
  // The last sum over all scopes, per group.
  [[nodiscard]] std::span<const perf_events::group_reading> totals() const { return totals_; }
  // Reads that the kernel refused, by errno.
  [[nodiscard]] const std::map<int, std::uint64_t>& failed_reads() const { return failed_reads_; }

 private:
  struct scope_entry {
    line_scope scope;
    std::vector<std::vector<perf_events::event_group>> members;  // the groups of every member
    std::vector<perf_events::group_reading> last;                // the last reading per group
  };
  static void add_last(const scope_entry& entry, std::vector<perf_events::group_reading>& sums);
  bool read_group(scope_entry& entry, std::size_t group, perf_events::group_reading& sum);
  [[nodiscard]] std::vector<perf_events::event_spec> specs(std::size_t group) const;

  const counting_choice* choice_;
  std::map<std::size_t, scope_entry> scopes_;
  std::size_t next_scope_ = 0;
  std::vector<perf_events::group_reading> ended_;  // sums of the dropped scopes
  std::vector<perf_events::group_reading> totals_;
  std::map<int, std::uint64_t> failed_reads_;
};

}  // namespace stallscope::count
