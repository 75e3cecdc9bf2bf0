// The limit of what may be read from a process: bytes, CPU time of this thread, and a stop flag.
// The contents are untrusted, so every loop over them takes from a budget. take() costs a clock
// read, about 0.2 us. Belongs to a single thread.
//
//   read_budget budget{{.bytes = 64 << 20, .cpu_ns = 50'000'000}};
//   while (budget.take(batch.size())) read(batch);
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace stallscope::process_reading {

struct read_limits {
  std::uint64_t bytes = std::uint64_t{96} << 20U;
  std::uint64_t cpu_ns = 150'000'000;
};

class read_budget {
 public:
  // `stop` may be null. It ends the reading from another thread or process.
  explicit read_budget(const read_limits& limits, const std::atomic<bool>* stop = nullptr) noexcept
      : bytes_{limits.bytes}, end_ns_{thread_cpu_ns() + limits.cpu_ns}, stop_{stop} {}

  // Takes bytes that will be read. Returns false if a limit was reached; it then stays reached.
  [[nodiscard]] bool take(std::uint64_t bytes) noexcept {
    if (bytes > bytes_ || thread_cpu_ns() > end_ns_ ||
        (stop_ != nullptr && stop_->load(std::memory_order_relaxed)))
      exhausted_ = true;
    bytes_ -= std::min(bytes, bytes_);
    return !exhausted_;
  }
  [[nodiscard]] bool exhausted() const noexcept { return exhausted_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t end_ns_;
  const std::atomic<bool>* stop_;
  bool exhausted_ = false;
};

}  // namespace stallscope::process_reading
