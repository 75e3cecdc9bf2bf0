// What to collect: the validated command line. No other part of the collector parses arguments.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stallscope::collect {

enum class target_kind { process, command, cpus, cgroup };
// How user stacks are recorded: as call chains by frame pointers, as copies that are unwound when
// the recording is read, or by whichever the target's code needs.
enum class stack_method { frame_pointers, copies, automatic };
enum class privilege_scope { allowed, user, kernel };  // kernel: an error if refused

struct collect_options {
  target_kind kind = target_kind::process;
  std::vector<pid_t> pids;
  std::vector<std::string> command;
  std::vector<int> cpus;  // empty: all online CPUs
  std::string cgroup;
  std::string directory;
  bool force = false;
  std::string event;              // empty: the ladder
  std::vector<std::string> with;  // events counted in its group
  std::string leader;             // leads that group without sampling
  std::uint64_t frequency_hz = 999;
  std::uint64_t period = 0;
  double duration_s = 0;  // 0: until the target ends or a signal
  privilege_scope scope = privilege_scope::allowed;
  std::size_t ring_bytes = 0;  // 0: from the size and rate of the samples
  stack_method stacks = stack_method::automatic;
  std::uint32_t stack_bytes = 8192;  // per copy
  std::uint16_t max_stack = 0;
  bool stack_bytes_requested = false;     // otherwise it is the default
  bool python = true;                     // read the frames of CPython
  bool runtimes = true;                   // read the frames of V8 and HotSpot
  bool waits = false;                     // record context switches and wake-ups, too
  bool requests = false;                  // record the marks of requests of the target's processes
  std::uint32_t wait_stack_bytes = 4096;  // per switch; 0: no stacks
  // The recording ends at this size, with a warning. 0: no limit.
  std::uint64_t max_bytes = 0;
  // Keep the last seconds in memory and write them at the end. 0: write everything.
  double flight_s = 0;
  std::uint64_t flight_bytes = std::uint64_t{64} << 20U;
  // The ends after which the last seconds are written: "stopped", "target ended", ...
  std::vector<std::string> flight_ends{"stopped", "target ended", "signal", "duration"};
  // Latencies of requests in ns; requests above each are counted.
  std::vector<std::uint64_t> slow_requests_ns;
  double max_cost = 0.05;          // of recording waits, as a share of the target's CPU time
  double owner_share = 0.03;       // of a CPU: what reading the owners of locks may take
  bool wait_kernel_chains = true;  // kernel call chains of switches
  int control_fd = -1;
  int progress_fd = -1;
  bool start_disabled = false;
  std::vector<std::string> arguments;  // the program's own argv
};

}  // namespace stallscope::collect
