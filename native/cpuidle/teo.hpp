// The timer events oriented (teo) governor. Bins begin at the target residencies. A wake-up adds to
// one bin: a hit if the timer and the measured length fall into the same bin, otherwise an
// intercept in the bin of the measured length. All counts decay by an eighth. If the intercepts
// below the deepest state outweigh the other counts by half, a shallower state is chosen. Used
// through make_governor(); see governor.hpp for cost and thread.
//
// Versions differ. 6.12 does not read the timer if the candidate's target residency is below
// 15 us; 6.18 reads it unless short idle periods prevail. 6.18 counts a hit only if the timer was
// at most half the exit latency away, and counts wake-ups by the tick separately.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/teo.c of the
// Linux kernel (GPL-2.0), as of Linux 6.12 and 6.18. They are re-implemented here from a
// description of that file; no kernel source text is copied.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

enum class teo_version : std::uint8_t { v6_12, v6_18 };

class teo final : public governor {
 public:
  teo(const idle_table& table, teo_version version);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
  struct bin {
    std::uint32_t hits = 0;
    std::uint32_t intercepts = 0;
  };
  // `state` is the deepest enabled state and `first` the shallowest; `within_limit` is the deepest
  // that meets the latency limit. The sums cover the bins below `state`.
  struct candidate {
    std::size_t state = 0;
    std::size_t first = 0;
    std::size_t within_limit = 0;
    std::uint32_t intercepts_below = 0;
    std::uint32_t hits_below = 0;
    bool any = false;
  };
  struct bin_pair {
    std::size_t timer_bin = 0;
    std::size_t measured_bin = 0;
  };

  void decay(std::uint32_t& metric) const;
  [[nodiscard]] bin_pair decay_bins(std::int64_t measured_ns);
  [[nodiscard]] bool counted_beyond_tick(bin_pair& pair, std::int64_t measured_ns);
  void reflect_6_12(const outcome& last);
  void reflect_6_18(const outcome& last);
  [[nodiscard]] bool counted_as_tick(std::size_t timer_bin, std::uint32_t before);

  [[nodiscard]] candidate find_candidate() const;
  [[nodiscard]] bool outweighed(const candidate& deepest) const;
  [[nodiscard]] std::size_t lower_6_12(const candidate& deepest, bool tick_stopped) const;
  [[nodiscard]] std::size_t lower_6_18(const candidate& deepest, bool tick_stopped) const;
  [[nodiscard]] bool skips_timer(std::size_t state) const;
  [[nodiscard]] bool intercepted_before_tick() const;
  [[nodiscard]] bool deep_enough(std::size_t state, bool tick_stopped) const;
  [[nodiscard]] std::size_t shallower(std::size_t state, std::int64_t duration_ns) const;
  [[nodiscard]] choice finish(const candidate& deepest, std::size_t state, std::int64_t duration_ns,
                              const situation& now) const;

  idle_table table_;
  teo_version version_;
  std::int64_t poll_limit_ns_;
  std::int64_t sleep_length_ns_ = 0;
  std::array<bin, max_states> bins_{};
  std::uint32_t total_ = 0;
  std::uint32_t beyond_tick_ = 0;  // 6.12: hits longer than the tick period
  std::uint32_t short_idles_ = 0;  // 6.18
  std::uint32_t tick_intercepts_ = 0;
  std::uint32_t total_tick_ = 0;
};

}  // namespace stallscope::cpuidle
