// Keeps the records of some processes and their descendants, if events had to be opened for whole
// CPUs. Descendants come from fork records. Costs one look-up per record. One thread: that of the
// drain.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/procfs.hpp"
#include "collect/drain.hpp"

namespace stallscope::collect {

// A fork record in the kernel's layout.
struct fork_notice {
  explicit fork_notice(const perf_events::record_view& record) noexcept
      : pid{static_cast<pid_t>(record.u32(8))},
        parent_pid{static_cast<pid_t>(record.u32(12))},
        tid{static_cast<pid_t>(record.u32(16))},
        parent_tid{static_cast<pid_t>(record.u32(20))},
        time_ns{record.u64(24)} {}
  pid_t pid;
  pid_t parent_pid;
  pid_t tid;
  pid_t parent_tid;
  std::uint64_t time_ns;
};

class process_filter : public sieve {
 public:
  explicit process_filter(std::span<const pid_t> pids) : followed_(pids.begin(), pids.end()) {}

  // Records the children that exist before any event is opened: they are not followed.
  void note_first_children(const procfs& proc);
  // Follows children created since then without a fork record. Call when all events are open.
  void follow_new_children(const procfs& proc);
  [[nodiscard]] const std::unordered_set<pid_t>& followed() const { return followed_; }

  [[nodiscard]] bool watching() const override { return true; }
  void observe(const perf_events::record_view& record, std::size_t ring_index) override;
  void settle() override;
  [[nodiscard]] bool keep(const perf_events::record_view& record) const override;

 private:
  std::unordered_set<pid_t> followed_;
  std::unordered_set<pid_t> first_children_;
  std::vector<fork_notice> forks_;
};

}  // namespace stallscope::collect
