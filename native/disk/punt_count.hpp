// How many of a thread's requests io_uring gave to worker threads of the kernel, because submitting
// them would have waited: its tracepoint, counted on every CPU with a filter for the thread, so
// that nothing is added to the thread's switches. Takes root or the like; opening costs some 10 us
// a CPU. The thread that submits makes it; any thread reads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::disk {

class punt_count {
 public:
  // Of the calling thread, from now on.
  punt_count();

  // Nothing where it cannot be counted here.
  [[nodiscard]] std::optional<std::uint64_t> read() const;

 private:
  std::vector<descriptor> events_;  // one a CPU; empty where it cannot be
};

}  // namespace stallscope::disk
