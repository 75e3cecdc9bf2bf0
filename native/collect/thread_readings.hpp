// Lines of waits.jsonl about the threads and descriptors of a process, as read from /proc: state,
// scheduler statistics, the system call that blocks a thread, the files behind descriptors. Costs
// 10 to 20 us per thread and descriptor. A read may block, so the collector runs these functions in
// a helper (target_reader). Any thread.
//
//   const auto lines = thread_lines(proc, pid, "start") + descriptor_lines(proc, pid, "start");
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/procfs.hpp"

namespace stallscope::collect {

// Number and six arguments of a system call.
using system_call = std::array<std::uint64_t, 7>;

// The letter of the state in /proc/TID/stat; empty if the text is malformed.
std::string thread_state_of(const std::string& stat);
// Returns the number of page faults of a thread that needed a disk; nothing if the text is damaged.
std::optional<std::uint64_t> major_faults_of(const std::string& stat);

// Parses /proc/TID/syscall; nullopt if the thread runs, is not in a system call, or may not be
// read.
std::optional<system_call> parse_system_call(const std::string& text);

// Returns the path in /proc/PID/cgroup of the hierarchy with the cpu controller.
std::string cpu_cgroup_of(const std::string& text);

// One line per thread, at most 65,536; empty if the process has ended.
std::string thread_lines(const procfs& proc, pid_t pid, const std::string& moment);

// One line per open descriptor, at most 4,096; empty if this user may not read them.
std::string descriptor_lines(const procfs& proc, pid_t pid, const std::string& moment);

// Sums over the threads of processes, by their schedstat.
struct run_totals {
  std::uint64_t runs = 0;    // times that the scheduler has put threads on a CPU
  std::uint64_t run_ns = 0;  // CPU time
};

run_totals runs_of(const procfs& proc, std::span<const pid_t> pids);

}  // namespace stallscope::collect
