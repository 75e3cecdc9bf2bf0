// Thread ids as a process sees them: those of its innermost pid namespace. A runtime stores such
// ids, while samples have the ids of the recorder's namespace. Costs a read of /proc per thread,
// and nothing if the process is in the recorder's namespace. Belongs to a single thread.
#pragma once

#include <sys/types.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "base/procfs.hpp"

namespace stallscope::process_reading {

// The ids of a thread, from the recorder's pid namespace to its innermost; empty if it has ended.
std::vector<pid_t> namespace_ids(const procfs& proc, pid_t pid, pid_t tid);

class native_ids {
 public:
  native_ids(procfs proc, pid_t pid)
      : proc_{std::move(proc)},
        pid_{pid},
        in_other_namespace_{namespace_ids(proc_, pid, pid).size() > 1} {}

  pid_t of(pid_t tid);

 private:
  procfs proc_;
  pid_t pid_;
  bool in_other_namespace_;
  std::unordered_map<pid_t, pid_t> ids_;
};

}  // namespace stallscope::process_reading
