// Due times of the requests of an open loop: a Poisson process or a fixed rate, endless and
// reproducible from the seed. next() costs a random number and a logarithm, about 20 ns. One
// thread.
//
//     arrivals due(arrival_process::poisson, 20'000.0, start_ns, seed);
//     while (due.peek() <= now_ns) send(due.next());
#pragma once

#include <cstdint>
#include <random>

#include "load/options.hpp"

namespace stallscope::load {

class arrivals {
 public:
  // Starts at `start_ns`. With a fixed rate and n threads, each thread takes every n-th arrival:
  // its rate is a share of the whole and its first arrival is `phase` of an interval later.
  arrivals(arrival_process process, double rate_per_s, std::uint64_t start_ns, std::uint64_t seed,
           double phase = 0);

  [[nodiscard]] std::uint64_t peek() const noexcept { return due_ns_; }
  std::uint64_t next();

 private:
  void advance();

  arrival_process process_;
  double interval_ns_;
  std::uint64_t start_ns_;
  double offset_ns_;  // of the next arrival, relative to the start
  std::uint64_t count_ = 0;
  double phase_;
  std::uint64_t due_ns_ = 0;
  std::mt19937_64 random_;
};

// A number in [0, 1) in steps of 2^-53, the same on every platform.
inline double uniform_share(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

}  // namespace stallscope::load
