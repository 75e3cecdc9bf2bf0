// Takes samples with both kinds of stacks before the recording starts, and counts for each process
// the samples whose chain by frame pointers contains all frames of the copied stack. Costs about
// 0.3 s, at most 0.5 s on an idle machine, 512 descriptors and a ring of 1 MiB per CPU, all of
// which are released. The target is sampled at 997 Hz during the probe. One thread.
//
//   stack_probe probe{probe_attribute(user_only), cpus, proc, tables};
//   probe.open_processes(pids, max_descriptors);
//   probe.collect(pids.size(), deadline_ns);
//   const auto tallies = probe.judge(limit);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collect/copied_sample.hpp"
#include "collect/event_table.hpp"
#include "collect/process_code.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

// The samples of a process that could be compared, and those with a whole chain by frame pointers.
struct probe_tally {
  std::string name;
  std::size_t samples = 0;
  std::size_t whole = 0;
};

// The probe's event: always cpu-clock, so that the probe uses no hardware counter and does not
// change the first period of the recording.
perf_event_attr probe_attribute(bool user_only);

class stack_probe {
 public:
  // Throws std::system_error if the rings cannot be opened. The tables must outlive the probe.
  stack_probe(const perf_event_attr& attribute, std::span<const int> cpus, const procfs& proc,
              table_store& tables);

  // Opens the threads of the processes. If there are too many, it opens all CPUs, or a selection of
  // the threads if this user may not sample CPUs. Returns 0, or the kernel's errno if nothing could
  // be opened.
  int open_processes(std::span<const pid_t> pids, std::size_t max_descriptors);
  // Opens all CPUs for all processes (pid -1) or for a cgroup (by flags). Returns 0 or the kernel's
  // errno.
  int open_cpus(pid_t pid, unsigned long flags);

  // Takes samples until `processes` processes have enough of them, or until the deadline.
  void collect(std::size_t processes, std::uint64_t deadline_ns);
  // Compares the chains of the samples, until the time limit.
  std::map<pid_t, probe_tally> judge(const time_limit& limit);

 private:
  // Mappings are read at the first sample, because the process may end before judge().
  struct probed_process {
    probed_process(const procfs& proc, pid_t pid, table_store& tables)
        : name{proc.thread_name(pid, pid)}, code{proc, pid, tables} {}
    std::string name;
    process_code code;
    std::vector<copied_sample> samples;
  };
  int open_threads(std::span<const pid_t> threads);
  void drain(const perf_events::ring_view& view);
  void keep(const perf_events::record_view& record, const perf_events::ring_view& view);
  void wait() const;

  std::size_t register_count_;
  perf_events::ring_set rings_;
  event_table events_;
  const procfs* proc_;
  table_store* tables_;
  std::set<pid_t> target_pids_;  // empty: all processes
  std::map<pid_t, probed_process> processes_;
  std::size_t kept_ = 0;
  std::size_t satisfied_ = 0;  // processes with enough samples
};

}  // namespace stallscope::collect
