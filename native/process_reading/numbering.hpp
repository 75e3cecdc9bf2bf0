// Ids that several processes give without agreeing on each. No system calls. One thread.
#pragma once

#include <cstdint>

namespace stallscope::process_reading {

// A sequence of ids. Sequences with the same step and different first values never produce the same
// id.
class numbering {
 public:
  numbering(std::uint64_t first, std::uint64_t step) noexcept : next_{first}, step_{step} {}
  std::uint64_t next() noexcept { return (next_ += step_) - step_; }

 private:
  std::uint64_t next_;
  std::uint64_t step_;
};

}  // namespace stallscope::process_reading
