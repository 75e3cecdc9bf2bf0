// What to count: the validated command line of stallscope-collect count.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stallscope::count {

enum class count_target { processes, threads, command, cpus, cgroup };

// Shorter windows hold too few rotations of groups, which the kernel makes every 4 ms.
inline constexpr std::uint64_t min_window_ms = 50;
inline constexpr std::uint64_t max_window_ms = 3'600'000;

struct count_options {
  count_target target = count_target::processes;
  std::vector<pid_t> pids;
  std::vector<pid_t> tids;
  std::vector<std::string> command;
  std::vector<int> cpus;  // empty: all online CPUs
  std::string cgroup;
  bool per_thread = false;  // a line per thread of the processes instead of a line per process
  std::string plan;         // the file
  std::string directory;
  bool force = false;
  bool user_only = false;
  std::uint64_t window_ms = 100;
  double duration_s = 0;  // 0: until the target ends or a signal
  int control_fd = -1;
  int progress_fd = -1;
  bool start_disabled = false;
  int phases_fd = -1;                  // marks of the phases to count; -1: count from start to end
  std::vector<std::string> arguments;  // the program's own argv
};

// Whether only marked phases are counted.
inline bool counts_phases(const count_options& options) { return options.phases_fd >= 0; }

}  // namespace stallscope::count
