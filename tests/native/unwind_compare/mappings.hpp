// The executable mappings of a process, as /proc tells them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stallscope::unwind_compare {

struct mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::string path;  // "[vdso]" and empty ones as they stand there

  friend bool operator==(const mapping&, const mapping&) = default;
};

// In the order of their addresses; none where the process is gone.
std::vector<mapping> executable_mappings(pid_t process);

}  // namespace stallscope::unwind_compare
