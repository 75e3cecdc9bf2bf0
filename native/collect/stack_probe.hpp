// Takes a target's first samples with both kinds of stacks, before the recording begins, and tells
// in how many of each process's the chain by frame pointers has all that the copied stack has.
// Costs some 0.3 s, at most 0.5 where the machine has time for it, 512 descriptors and a megabyte
// of ring for each CPU, all given back; the target is sampled at 997 Hz meanwhile. One thread.
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

// Of the samples of one process: how many could be judged, and in how many frame pointers do.
struct probe_tally {
  std::string name;
  std::size_t samples = 0;
  std::size_t whole = 0;
};

// The event of the probe: cpu-clock, whatever the recording samples, so that its first period is
// not the recording's and no counter of the CPU is taken.
perf_event_attr probe_attribute(bool user_only);

class stack_probe {
 public:
  // Throws std::system_error where rings are refused. The tables must outlive the probe.
  stack_probe(const perf_event_attr& attribute, std::span<const int> cpus, const procfs& proc,
              table_store& tables);

  // Opens the threads of the processes; where they are too many, all CPUs, or some threads where
  // this user may not. An error of the kernel's where none could be opened, else 0.
  int open_processes(std::span<const pid_t> pids, std::size_t most_descriptors);
  // Opens all CPUs: pid -1 or, by flags, a cgroup. 0 or the kernel's errno.
  int open_cpus(pid_t pid, unsigned long flags);

  // Takes samples until each of so many processes has enough, or to the deadline.
  void collect(std::size_t processes, std::uint64_t deadline_ns);
  // Judges what was taken, as far as the time allows.
  std::map<pid_t, probe_tally> judge(const time_limit& limit);

 private:
  // Its mappings are read at its first sample: it may be gone when it is judged.
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
  std::set<pid_t> wanted_;  // empty: all
  std::map<pid_t, probed_process> processes_;
  std::size_t kept_ = 0;
  std::size_t satisfied_ = 0;  // processes with enough samples
};

}  // namespace stallscope::collect
