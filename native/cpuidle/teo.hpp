// The timer events oriented (teo) governor. Bins begin at the target residencies. A wake-up adds to
// one bin (teo_bins.hpp): a hit if the timer and the measured length fall into the same bin,
// otherwise an intercept in the bin of the measured length. All counts decay by an eighth. If the
// intercepts below the deepest state outweigh the other counts by half, a shallower state is
// chosen. Used through make_governor(); see governor.hpp for cost and thread.
//
// Versions differ. 6.12 does not read the timer if the candidate's target residency is below
// 15 us; 6.18 reads it unless short idle periods prevail. 6.18 counts a hit only if the timer was
// at most half the exit latency away, and counts wake-ups by the tick separately.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/teo.c of the
// Linux kernel (GPL-2.0), as of Linux 6.12 and 6.18. They are re-implemented here from a
// description of that file; no kernel source text is copied.
#pragma once

#include "cpuidle/governor.hpp"
#include "cpuidle/teo_bins.hpp"

namespace stallscope::cpuidle {

class teo final : public governor {
 public:
  teo(const idle_table& table, teo_version version);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override { bins_.update(last, sleep_length_ns_); }
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
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
  [[nodiscard]] candidate find_candidate() const;
  [[nodiscard]] bool outweighed(const candidate& deepest) const;
  [[nodiscard]] std::size_t lower_6_12(const candidate& deepest, bool tick_stopped) const;
  [[nodiscard]] std::size_t lower_6_18(const candidate& deepest, bool tick_stopped) const;
  [[nodiscard]] bool skips_timer(std::size_t state) const;
  [[nodiscard]] bool deep_enough(std::size_t state, bool tick_stopped) const;
  [[nodiscard]] std::size_t shallower(std::size_t state, std::int64_t duration_ns) const;
  [[nodiscard]] choice finish(const candidate& deepest, std::size_t state, std::int64_t duration_ns,
                              const situation& now) const;

  idle_table table_;
  teo_version version_;
  std::int64_t poll_limit_ns_;
  std::int64_t sleep_length_ns_ = 0;
  teo_bins bins_;
};

}  // namespace stallscope::cpuidle
