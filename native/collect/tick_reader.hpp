// Reads the states of the target's threads from /proc at short intervals, in a helper process: long
// waits are visible there, and totals of running and queueing are exact, at a cost that does not
// depend on the number of switches. The helper uses at most a share of a CPU, so the interval grows
// with the number of threads. If the helper blocks, only readings are missing. One
// thread.
//
//   tick_reader ticks{{.proc = proc, .pids = pids, .with_children = true}};
//   ticks.pass(lines);  // at least once per second
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "reader_process/child_process.hpp"

namespace stallscope::collect {

struct tick_settings {
  const procfs& proc;
  std::vector<pid_t> pids;
  bool with_children = false;
  std::uint64_t least_interval_ns = 10'000'000;
  double cpu_share = 0.005;
};

class tick_reader {
 public:
  // Throws std::system_error if there is no helper process.
  explicit tick_reader(tick_settings settings);

  // Appends the complete lines that the helper has sent.
  void pass(std::string& lines);

 private:
  descriptor socket_;
  std::string rest_;
  reader_process::child_process child_;
};

}  // namespace stallscope::collect
