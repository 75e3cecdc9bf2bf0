// Counts the requests of a thread that io_uring passed to kernel worker threads because submitting
// them would have blocked. It counts the tracepoint on every CPU with a filter for the thread,
// which adds nothing to the thread's context switches. Needs root or CAP_PERFMON; opening costs
// about 10 us per CPU. The submitting thread constructs it; any thread reads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::disk {

class punt_count {
 public:
  // Counts for the calling thread from now on.
  punt_count();

  // Empty if the tracepoint cannot be counted.
  [[nodiscard]] std::optional<std::uint64_t> read() const;

 private:
  std::vector<descriptor> events_;  // one per CPU; empty if unavailable
};

}  // namespace stallscope::disk
