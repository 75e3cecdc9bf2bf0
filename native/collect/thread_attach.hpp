// Attaches to running processes: every thread on every CPU, with inheritance, while the processes
// keep creating threads and children.
//
// A thread inherits all events if a fork record announced it and its parent was fully open long
// before. All other threads must be opened: those that two scans of /proc in a row list without a
// fork record, and those announced while their parent was being opened. The duplicate sieve removes
// events that were both inherited and opened. Scans repeat until three in a row show no new thread.
// Costs one descriptor and some 3 KB of kernel memory per thread and CPU. One thread: that of the
// drain.
#pragma once

#include <set>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/procfs.hpp"
#include "collect/drain.hpp"
#include "collect/duplicate_sieve.hpp"
#include "collect/event_table.hpp"
#include "collect/process_filter.hpp"

namespace stallscope::collect {

// The target needs more descriptors than allowed.
class too_many_descriptors : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class thread_attach : public sieve {
 public:
  // `inherits`: new threads inherit the events of their parents and need not be opened.
  thread_attach(const procfs& proc, event_table& events, std::size_t max_descriptors,
                bool inherits = true)
      : proc_{&proc},
        events_{&events},
        duplicates_{events},
        max_descriptors_{max_descriptors},
        inherits_{inherits} {}

  // Selects the attribute for the threads and children of a process; the default is the first.
  void set_attribute(pid_t pid, std::uint32_t attribute) { attributes_[pid] = attribute; }

  // Opens all threads of the processes. The drain must be held and have this object as its sieve.
  // Returns false if unannounced threads still appeared after the time limit. Throws
  // too_many_descriptors, and failure if the kernel refuses an event.
  bool attach(std::span<const pid_t> pids, drain& rings);

  // The processes whose threads were opened, with children created during the attachment.
  [[nodiscard]] const std::set<pid_t>& processes() const { return processes_; }
  [[nodiscard]] std::size_t threads_opened() const { return opened_; }
  // From this time on all threads present at the start, and their new threads, are sampled.
  [[nodiscard]] std::uint64_t opened_ns() const { return first_opened_ns_; }
  // The number of new threads that this user may not observe.
  [[nodiscard]] std::size_t refused() const { return refused_.size(); }
  [[nodiscard]] std::size_t duplicates_closed() const { return duplicates_.closed(); }

  [[nodiscard]] bool watching() const override { return attaching_ || duplicates_.watching(); }
  void observe(const perf_events::record_view& record, std::size_t ring_index) override;
  void settle() override;
  [[nodiscard]] bool keep(const perf_events::record_view& record) const override {
    return duplicates_.keep(record);
  }

 private:
  void open_first(std::span<const pid_t> pids);
  // Returns whether a thread was opened.
  bool open_thread(pid_t pid, pid_t tid, bool late);
  bool open_announced();
  bool open_unannounced();
  bool open_if_seen_before(pid_t pid, pid_t tid, std::unordered_set<pid_t>& seen_now);
  void inherit_attribute(pid_t parent, pid_t child);
  bool settled(std::size_t quiet_scans) const;
  void apply(const fork_notice& fork);

  const procfs* proc_;
  event_table* events_;
  duplicate_sieve duplicates_;
  std::size_t max_descriptors_;
  bool inherits_;
  bool attaching_ = false;
  std::size_t opened_ = 0;
  std::set<pid_t> processes_;
  std::unordered_set<pid_t> refused_;
  std::unordered_map<pid_t, std::uint32_t> attributes_;  // by process; absent: the first attribute
  std::unordered_set<pid_t> first_children_;
  // From this time on new threads of a thread inherit all events; 0: it inherited them all itself.
  std::unordered_map<pid_t, std::uint64_t> complete_at_ns_;
  std::unordered_map<pid_t, pid_t> uncertain_;  // announced threads to open, with their process
  std::unordered_set<pid_t> seen_;              // listed by the last scan without a fork record
  std::uint64_t first_opened_ns_ = 0;
  std::uint64_t last_opened_ns_ = 0;
  std::vector<fork_notice> forks_;
};

}  // namespace stallscope::collect
