// Detects programs whose start removes their process from the recording. If a program runs as
// another user (sudo, su), the kernel removes the events of the process during its exec (fs/exec.c,
// begin_new_exec). The records then show an exec and an exit with no mapping between them, while
// every other program makes mappings. Costs a look-up per exec, mapping and exit. One thread.
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
  // Uses COMM, MMAP2 and EXIT records and ignores others.
  void observe(const perf_events::record_view& record);
  // Call after a scan of all rings. Decides about the execs of the previous scan, because their
  // other records may arrive in other rings one scan later.
  void settle();
  // The names of the programs, at most as many as fit in a message.
  [[nodiscard]] const std::set<std::string>& programs() const { return programs_; }

 private:
  struct start {
    std::string name;
    std::uint64_t exec_ns = 0;
    std::uint64_t mapped_ns = 0;
    std::uint64_t exit_ns = 0;
    bool seen = false;  // by the previous settle()
  };

  std::unordered_map<pid_t, start> starts_;
  std::set<std::string> programs_;
};

}  // namespace stallscope::collect
