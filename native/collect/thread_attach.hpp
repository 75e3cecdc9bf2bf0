// Attaches to running processes: every thread on every CPU, with inheritance, while the processes
// go on making threads and children.
//
// A thread whose birth a fork record announced, made by a thread that had long been open on all
// CPUs, inherits everything. All others have to be opened: those that a scan of /proc finds and the
// next scan still finds unannounced, and those announced within their parent's own opening. The
// duplicate sieve settles what both ways covered. Scans go on until nothing new appeared for three
// in a row. Costs one descriptor and some 3 KB of kernel memory for each thread and CPU.
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

// More descriptors would be needed than there may be.
class too_many_descriptors : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class thread_attach : public sieve {
 public:
  // `inherits`: threads born of those opened have their events, and need not be opened.
  thread_attach(const procfs& proc, event_table& events, std::size_t max_descriptors,
                bool inherits = true)
      : proc_{&proc},
        events_{&events},
        duplicates_{events},
        max_descriptors_{max_descriptors},
        inherits_{inherits} {}

  // A process whose threads, and whose children, are opened with another attribute than the first.
  void set_attribute(pid_t pid, std::uint32_t attribute) { attributes_[pid] = attribute; }

  // Opens all threads of the processes. The drain must be held and have this as its sieve. False
  // where threads were still appearing unannounced after the time allowed. Throws
  // too_many_descriptors, and failure where the kernel refuses.
  bool attach(std::span<const pid_t> pids, drain& rings);

  // The processes whose threads were opened, children born meanwhile among them.
  [[nodiscard]] const std::set<pid_t>& processes() const { return processes_; }
  [[nodiscard]] std::size_t threads_opened() const { return opened_; }
  // From when on all threads that were there at first, and what they make, are followed.
  [[nodiscard]] std::uint64_t opened_ns() const { return first_opened_ns_; }
  // Threads born meanwhile that this user may not observe: left out.
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
  std::unordered_map<pid_t, std::uint32_t> attributes_;  // by process; the first where it is not in
  std::unordered_set<pid_t> first_children_;
  // From when on a thread hands all its events down; 0: it inherited them all itself.
  std::unordered_map<pid_t, std::uint64_t> complete_at_ns_;
  std::unordered_map<pid_t, pid_t> uncertain_;  // announced threads to be opened, and their process
  std::unordered_set<pid_t> seen_;              // found by the last scan, unannounced so far
  std::uint64_t first_opened_ns_ = 0;
  std::uint64_t last_opened_ns_ = 0;
  std::vector<fork_notice> forks_;
};

}  // namespace stallscope::collect
