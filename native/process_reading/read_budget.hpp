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
  std::uint64_t wall_ns = ~std::uint64_t{0} >> 1U;
};

class read_budget {
 public:
  // `stop` may be null. It ends the reading from another thread or process. `progress_ns` may be
  // null; it gets the time of each read, so that many short reads are not taken for a blocked one.
  explicit read_budget(const read_limits& limits, const std::atomic<bool>* stop = nullptr,
                       std::atomic<std::uint64_t>* progress_ns = nullptr) noexcept
      : bytes_{limits.bytes},
        end_ns_{thread_cpu_ns() + limits.cpu_ns},
        wall_end_ns_{monotonic_ns() + limits.wall_ns},
        stop_{stop},
        progress_ns_{progress_ns} {}

  // Takes bytes that will be read. Returns false if a limit was reached; it then stays reached.
  [[nodiscard]] bool take(std::uint64_t bytes) noexcept {
    if (bytes > bytes_ || thread_cpu_ns() > end_ns_ ||
        (stop_ != nullptr && stop_->load(std::memory_order_relaxed)))
      exhausted_ = true;
    if (progress_ns_ != nullptr) {
      const auto now_ns = monotonic_ns();
      exhausted_ = exhausted_ || now_ns > wall_end_ns_;
      progress_ns_->store(now_ns, std::memory_order_relaxed);
    }
    bytes_ -= std::min(bytes, bytes_);
    return !exhausted_;
  }
  [[nodiscard]] bool exhausted() const noexcept { return exhausted_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t end_ns_;
  std::uint64_t wall_end_ns_;
  const std::atomic<bool>* stop_;
  std::atomic<std::uint64_t>* progress_ns_;
  bool exhausted_ = false;
};

}  // namespace stallscope::process_reading
