// Recognises a helper that ended, or whose read of another process does not return. Costs a
// waitpid(), and a read of /proc if a read takes long. The collector's thread.
#pragma once

#include <cstdint>
#include <optional>

#include "reader_process/child_process.hpp"
#include "reader_process/read_activity.hpp"

namespace stallscope::reader_process {

// The process whose files or memory the helper waits for, or that ended the helper.
struct helper_fault {
  pid_t process = 0;  // 0: not known
  bool helper_ended = false;
};

std::optional<helper_fault> fault_of(child_process& helper, const read_activity& activity,
                                     std::uint64_t now_ns);

}  // namespace stallscope::reader_process
