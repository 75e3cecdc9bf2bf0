// Runs a command once and measures it: CLOCK_MONOTONIC around posix_spawn and wait4, and the
// resource usage that wait4 returns. The cost beside the command itself is four system calls, all
// but one while the command runs.
//
// The kernel starts a command's largest resident set at that of the process that spawned it. So
// this code runs in a separate small process, and not in a Python interpreter. One thread.
//
//   adopt_descendants();
//   const completed_run run = run_command({.arguments = {"/bin/true"}}, stop_fd);
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace stallscope::launch {

struct command {
  std::vector<std::string> arguments;  // the first is the program's path
  std::vector<std::string> environment;
  std::string directory;                   // empty: the current one
  std::chrono::nanoseconds time_limit{0};  // 0: none
  std::chrono::nanoseconds grace{0};       // from SIGTERM to SIGKILL; 0: SIGKILL at once
  std::size_t output_limit = 0;            // bytes of output to keep; 0: output to /dev/null
  bool is_server =
      false;  // descendants that run after the command has ended are kept until the stop
};

struct completed_run {
  int status = 0;  // as wait4 returns it
  std::uint64_t begin_ns = 0;
  std::uint64_t wall_ns = 0;
  rusage usage{};
  bool timed_out = false;
  bool stopped = false;    // by the stop descriptor
  unsigned leftovers = 0;  // descendants that were running at the end, and were ended
  std::string output;
  bool output_cut = false;
};

// Runs the command until its end, its time limit, or until `stop_fd` is readable or closed; then
// all its descendants are ended. Throws std::system_error if it cannot be started.
completed_run run_command(const command& started, int stop_fd);

}  // namespace stallscope::launch
