// Notices programs whose start took their process out of the recording. Where one runs for another
// user than the one who starts it (sudo, su), the kernel removes the events of the process in the
// middle of its exec (fs/exec.c, begin_new_exec): the records tell an exec and an exit, and between
// them no mapping, which every other program makes. Costs a look-up at each exec, mapping and exit.
// One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "perf_events/ring_view.hpp"

namespace stallscope::collect {

class exec_watch {
 public:
  // COMM, MMAP2 and EXIT records; others say nothing.
  void observe(const perf_events::record_view& record);
  // After a look at all rings. Judges what the look before told: what belongs to it may have
  // arrived in another ring meanwhile.
  void settle();
  // The names of the programs, no more than a message can tell.
  [[nodiscard]] const std::set<std::string>& programs() const { return programs_; }

 private:
  struct start {
    std::string name;
    std::uint64_t exec_ns = 0;
    std::uint64_t mapped_ns = 0;
    std::uint64_t exit_ns = 0;
    bool seen = false;  // by the last settle
  };

  std::unordered_map<pid_t, start> starts_;
  std::set<std::string> programs_;
};

}  // namespace stallscope::collect
