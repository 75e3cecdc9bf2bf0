// CPU time that a kind of work may use: a share of the time that passes, and an amount that may be
// used at once. Work is charged after it was done, so a single piece may exceed the allowance. The
// state is one atomic number: several processes may charge one allowance. No system calls.
//
//   if (allowance.available(monotonic_ns())) { work(); allowance.charge(cpu_ns, monotonic_ns()); }
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace stallscope::process_reading {

struct time_share {
  std::uint64_t at_once_ns = 0;
  std::uint64_t reciprocal = 1;  // of the share: 10 is a tenth of a CPU
};

class time_allowance {
 public:
  explicit time_allowance(const time_share& share) noexcept : share_{share} {}

  [[nodiscard]] bool available(std::uint64_t now_ns) const noexcept {
    return repaid_ns_.load(std::memory_order_relaxed) <=
           now_ns + share_.at_once_ns * share_.reciprocal;
  }
  void charge(std::uint64_t cpu_ns, std::uint64_t now_ns) noexcept {
    auto before = repaid_ns_.load(std::memory_order_relaxed);
    while (!repaid_ns_.compare_exchange_weak(
        before, std::max(before, now_ns) + cpu_ns * share_.reciprocal, std::memory_order_relaxed)) {
    }
  }

 private:
  time_share share_;
  std::atomic<std::uint64_t> repaid_ns_ = 0;  // when the share will have paid for all work
};

}  // namespace stallscope::process_reading
