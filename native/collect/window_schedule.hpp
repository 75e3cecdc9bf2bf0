// The random windows in which all switches are recorded, while none is outside them. The gaps are
// random, so every instant has the same chance to be inside a window and periodic waits are not
// missed. Pure computation. One thread.
//
//   window_schedule windows{share, 40'000'000, seed};
//   sleep(windows.next_gap_ns()); enable(); sleep(windows.length_ns()); disable();
#pragma once

#include <cstdint>
#include <random>

namespace stallscope::collect {

class window_schedule {
 public:
  // `share`: of the time that is inside windows, above 0 and at most 1/2. `mean_period_ns`: from
  // the begin of a window to that of the next one; longer if windows would be too short.
  window_schedule(double share, std::uint64_t mean_period_ns, std::uint64_t seed);

  [[nodiscard]] std::uint64_t length_ns() const { return length_ns_; }
  // The time from the end of a window to the beginning of the next one: the mean, plus or minus a
  // half; before the first window, up to the mean.
  std::uint64_t next_gap_ns();

 private:
  std::uint64_t length_ns_;
  double mean_gap_ns_;
  bool is_first_ = true;
  std::mt19937_64 random_;
};

}  // namespace stallscope::collect
