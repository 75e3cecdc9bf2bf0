// How many iterations make a chunk of the wanted CPU time: learned from the chunks before, so that
// no clock is read inside the measured functions. One per thread and function; not shared.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stallscope::kernels {

class chunk_pace {
 public:
  // Iterations expected to take that long.
  [[nodiscard]] std::uint64_t iterations_for(std::uint64_t wanted_ns) const noexcept {
    const double wanted = static_cast<double>(wanted_ns) / ns_per_iteration_;
    return static_cast<std::uint64_t>(std::clamp(wanted, 1e3, 1e10));
  }
  // A chunk of so many iterations took that long.
  void learn(std::uint64_t iterations, std::uint64_t spent_ns) noexcept {
    const double seen = static_cast<double>(spent_ns) / static_cast<double>(iterations);
    if (seen > 0) ns_per_iteration_ = std::clamp(seen, 1e-3, 1e6);
  }

 private:
  double ns_per_iteration_ = 100;  // slow at first: the first chunk is short rather than long
};

}  // namespace stallscope::kernels
