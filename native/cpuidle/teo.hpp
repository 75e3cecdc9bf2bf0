// The timer events oriented governor, drivers/cpuidle/governors/teo.c as of Linux 6.12 and the 6.18
// series. Bins begin at the target residencies. Each wake-up pulses one: a hit where timer and
// measured length share a bin, else an intercept of the measured one; all decay by an eighth. If
// intercepts below the deepest state outweigh the rest by half, a shallower state is taken.
//
// 6.12 does not look at the timer where a state below 15 us is found. 6.18 does unless short idles
// prevail; it counts a hit only where the timer is no farther than half the exit latency off, and
// ticks apart.
//
// The rules and constants are those of the kernel's governor (GPL-2.0). This is an implementation
// of their description and contains no code of Linux.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

enum class teo_version : std::uint8_t { v6_12, v6_18 };

class teo final : public governor {
 public:
  teo(const machine& of, teo_version version);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
  struct bin {
    std::uint32_t hits = 0;
    std::uint32_t intercepts = 0;
  };
  // The deepest enabled state, the first one, the deepest within the limit, and sums below the
  // first of them.
  struct candidate {
    std::size_t state = 0;
    std::size_t first = 0;
    std::size_t within_limit = 0;
    std::uint32_t intercepts_below = 0;
    std::uint32_t hits_below = 0;
    bool any = false;
  };
  struct bins_found {
    std::size_t of_timer = 0;
    std::size_t of_measured = 0;
  };

  void decay(std::uint32_t& metric) const;
  [[nodiscard]] bins_found decay_bins(std::int64_t measured_ns);
  [[nodiscard]] bool counted_beyond_tick(bins_found& found, std::int64_t measured_ns);
  void reflect_6_12(const outcome& last);
  void reflect_6_18(const outcome& last);
  [[nodiscard]] bool counted_as_tick(std::size_t timer_bin, std::uint32_t before);

  [[nodiscard]] candidate deepest() const;
  [[nodiscard]] bool outweighed(const candidate& from) const;
  [[nodiscard]] std::size_t lower_6_12(const candidate& from, bool tick_stopped) const;
  [[nodiscard]] std::size_t lower_6_18(const candidate& from, bool tick_stopped) const;
  [[nodiscard]] bool skips_timer(std::size_t state) const;
  [[nodiscard]] bool intercepted_before_tick() const;
  [[nodiscard]] bool deep_enough(std::size_t state, bool tick_stopped) const;
  [[nodiscard]] std::size_t shallower(std::size_t state, std::int64_t duration_ns) const;
  [[nodiscard]] choice finish(const candidate& from, std::size_t state, std::int64_t duration_ns,
                              const situation& now) const;

  machine of_;
  teo_version version_;
  std::int64_t poll_limit_ns_;
  std::int64_t sleep_length_ns_ = 0;
  std::array<bin, most_states> bins_{};
  std::uint32_t total_ = 0;
  std::uint32_t beyond_tick_ = 0;  // 6.12: hits longer than the tick's period
  std::uint32_t short_idles_ = 0;  // 6.18
  std::uint32_t tick_intercepts_ = 0;
  std::uint32_t total_tick_ = 0;
};

}  // namespace stallscope::cpuidle
