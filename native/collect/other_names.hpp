// Writes the names of processes outside of the target, which the records of whole CPUs concern:
// those of all threads at the start and the end, and of new processes meanwhile. One thread.
//
//   other_names names{opened};
//   names.write_all();
//   while (recording) names.pass();
//   names.write_all();
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>

#include "collect/opened_recording.hpp"

namespace stallscope::collect {

class other_names {
 public:
  // The recording must outlive this object.
  explicit other_names(opened_recording& opened) : opened_{&opened} {}

  // Writes the names of new processes if it is time. Costs a thousandth of the time at most.
  void pass();
  // Writes the names of all threads that were not written so far, at most 8,192.
  void write_all();

 private:
  void write_new();
  [[nodiscard]] bool of_target(pid_t pid) const;

  opened_recording* opened_;
  std::set<pid_t> named_threads_;
  std::set<pid_t> seen_processes_;
  std::uint64_t next_ns_ = 0;
};

}  // namespace stallscope::collect
