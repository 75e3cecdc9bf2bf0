// The menu governor, drivers/cpuidle/governors/menu.c as of Linux 6.1, 6.12 and 6.18: the next
// timer times a learnt factor, or the typical length of the last eight intervals, whichever is
// less.
//
// 6.1 always reads the timer; 6.12 and 6.18 only where the typical interval is beyond 15 us (6.18
// also where the tick is stopped). 6.1 and 6.12 leave out the largest interval again and again, and
// take no exit latency beyond the prediction; 6.18 leaves out whichever end is farther from the
// average, and minds the latency limit alone. Waits for I/O, which 6.1 also looked at, are unknown
// to a replay: none are assumed.
//
// The rules and constants are those of the kernel's governor (GPL-2.0). This is an implementation
// of their description and contains no code of Linux.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

enum class menu_version : std::uint8_t { v6_1, v6_12, v6_18 };

class menu final : public governor {
 public:
  menu(const machine& of, menu_version version);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
  static constexpr std::size_t intervals = 8;
  static constexpr std::size_t buckets = 6;

  void look_at_timer(const situation& now);
  [[nodiscard]] std::uint64_t timer_times_factor_us() const;
  void predict(const situation& now);
  [[nodiscard]] std::uint32_t typical_without_largest_us(std::uint64_t predicted_us) const;
  [[nodiscard]] std::uint32_t typical_without_farthest_us() const;
  [[nodiscard]] bool must_be_first_state() const;
  [[nodiscard]] choice deepest_within(const situation& now);
  [[nodiscard]] bool leaves_polling_for(const idle_state& state, const idle_state& so_far,
                                        std::int64_t limit_ns) const;
  [[nodiscard]] std::size_t shallower_than_tick(std::size_t found) const;
  void note_interval(std::int64_t measured_ns);

  machine of_;
  menu_version version_;
  std::int64_t poll_limit_ns_;
  // What the last selection found.
  std::int64_t next_timer_ns_ = 0;
  std::int64_t next_tick_ns_ = 0;
  std::int64_t predicted_ns_ = 0;
  std::size_t bucket_ = 0;
  // The history.
  std::array<std::uint32_t, buckets> factors_;
  std::array<std::uint32_t, intervals> intervals_us_{};
  std::size_t next_interval_ = 0;
};

}  // namespace stallscope::cpuidle
