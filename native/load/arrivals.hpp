// The times at which requests of an open loop are due: a Poisson process or a fixed rate, endless
// and the same for the same seed. next() costs a random number and a logarithm, some 20 ns. One
// thread.
#pragma once

#include <cstdint>
#include <random>

#include "load/options.hpp"

namespace stallscope::load {

class arrivals {
 public:
  // From `start_ns` on. A thread of several takes every n-th of a fixed rate: its rate is a share
  // of the whole, and its first arrival comes `phase` of an interval later.
  arrivals(arrival_process process, double rate_per_s, std::uint64_t start_ns, std::uint64_t seed,
           double phase = 0);

  [[nodiscard]] std::uint64_t peek() const noexcept { return due_ns_; }
  std::uint64_t next();

 private:
  void advance();

  arrival_process process_;
  double interval_ns_;
  std::uint64_t start_ns_;
  double offset_ns_;  // of the next arrival, from the start
  std::uint64_t count_ = 0;
  double phase_;
  std::uint64_t due_ns_ = 0;
  std::mt19937_64 random_;
};

// A number from 0 up to, not including, 1, in 2^53 steps: the same on every platform.
inline double uniform_share(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

}  // namespace stallscope::load
