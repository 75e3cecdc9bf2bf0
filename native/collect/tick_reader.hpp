// Reads the states of the target's threads from /proc at short intervals, in a helper process: long
// waits are visible there, and totals of running and queueing are exact, at a cost that does not
// depend on the number of switches. The helper uses at most 1 % of a CPU, so the interval grows
// from 10 ms with the number of threads. If the helper blocks, only readings are missing. One
// thread.
//
//   tick_reader ticks{proc, pids, with_children};
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

class tick_reader {
 public:
  // Throws std::system_error if there is no helper process.
  tick_reader(const procfs& proc, std::vector<pid_t> pids, bool with_children);

  // Appends the complete lines that the helper has sent.
  void pass(std::string& lines);

 private:
  descriptor socket_;
  std::string rest_;
  reader_process::child_process child_;
};

}  // namespace stallscope::collect
