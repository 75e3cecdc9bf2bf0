// Predicts the number of iterations that take a target CPU time, from the duration of earlier
// chunks, so that the measured functions read no clock. Costs a few ns. One object per thread and
// function.
//
//   const auto iterations = pace.iterations_for(10'000'000);
//   pace.learn(iterations, spent_ns);
#pragma once

#include <algorithm>
#include <cstdint>

namespace stallscope::kernels {

class chunk_pace {
 public:
  // Returns the iterations expected to take `target_ns`.
  [[nodiscard]] std::uint64_t iterations_for(std::uint64_t target_ns) const noexcept {
    const double iterations = static_cast<double>(target_ns) / ns_per_iteration_;
    return static_cast<std::uint64_t>(std::clamp(iterations, 1e3, 1e10));
  }
  // Records that a chunk of `iterations` iterations took `spent_ns`.
  void learn(std::uint64_t iterations, std::uint64_t spent_ns) noexcept {
    const double measured = static_cast<double>(spent_ns) / static_cast<double>(iterations);
    if (measured > 0) ns_per_iteration_ = std::clamp(measured, 1e-3, 1e6);
  }

 private:
  double ns_per_iteration_ = 100;  // a high estimate, so that the first chunk is short
};

}  // namespace stallscope::kernels
