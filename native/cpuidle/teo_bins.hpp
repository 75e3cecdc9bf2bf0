// What the teo governor knows about past idle periods: counts of hits and intercepts by the idle
// state that would have fitted, which all decay by an eighth per idle period. The governor updates
// them after each period and reads them to choose a state.
//
//   teo_bins bins(table, teo_version::v6_18);
//   bins.update(last, sleep_length_ns);
//   if (2 * intercepts > bins.total()) ...
//
// Cost: a pass over the idle states per update; no allocation. One thread.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/teo.c of the
// Linux kernel (GPL-2.0), as of Linux 6.12 and 6.18. They are re-implemented here from a
// description of that file; no kernel source text is copied.
#pragma once

#include <array>
#include <cstdint>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

enum class teo_version : std::uint8_t { v6_12, v6_18 };

class teo_bins {
 public:
  struct bin {
    std::uint32_t hits = 0;
    std::uint32_t intercepts = 0;
  };

  // The table outlives the bins.
  teo_bins(const idle_table& table, teo_version version) : table_(table), version_(version) {}

  // Counts an idle period. `sleep_length_ns` is the time to the next timer when it began.
  void update(const outcome& last, std::int64_t sleep_length_ns);

  [[nodiscard]] const bin& of_state(std::size_t state) const { return bins_[state]; }
  // The sum of all bins.
  [[nodiscard]] std::uint32_t total() const noexcept { return total_; }
  [[nodiscard]] bool short_idles_prevail() const noexcept { return 2 * short_idles_ >= total_; }
  // Whether most periods ended before the tick, without the timer.
  [[nodiscard]] bool intercepted_before_tick() const;

 private:
  struct bin_pair {
    std::size_t timer_bin = 0;
    std::size_t measured_bin = 0;
  };

  void decay(std::uint32_t& metric) const;
  [[nodiscard]] bin_pair decay_bins(std::int64_t measured_ns);
  [[nodiscard]] bool count_beyond_tick(bin_pair& pair, std::int64_t measured_ns);
  void update_6_12(const outcome& last);
  void update_6_18(const outcome& last);
  [[nodiscard]] bool counted_as_tick(std::size_t timer_bin, std::uint32_t before);

  const idle_table& table_;
  teo_version version_;
  std::int64_t sleep_length_ns_ = 0;
  std::array<bin, max_states> bins_{};
  std::uint32_t total_ = 0;
  std::uint32_t beyond_tick_ = 0;  // 6.12: hits longer than the tick period
  std::uint32_t short_idles_ = 0;  // 6.18
  std::uint32_t tick_intercepts_ = 0;
  std::uint32_t total_tick_ = 0;
};

}  // namespace stallscope::cpuidle
