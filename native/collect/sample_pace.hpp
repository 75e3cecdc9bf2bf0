// When the next sample of a ring is due. The timer of a clock event fires in equal intervals of
// run time, so that a reader that must be early need not look at the ring all the time. A thread
// that was preempted samples later than predicted: the ring is then looked at a few times more.
// Costs a few instructions. One thread.
//
//   sample_pace pace{1'001'001};
//   pace.note(time_of_newest_sample_ns);
//   sleep(pace.pause_ns(now_ns));
#pragma once

#include <linux/perf_event.h>

#include <cstdint>

namespace stallscope::collect {

// The interval of an event's samples; 0 if the event is no clock.
std::uint64_t clock_period_ns(const perf_event_attr& attribute) noexcept;

class sample_pace {
 public:
  static constexpr std::uint64_t longest_pause_ns = 1'000'000;

  // `period_ns`: 0 if the event is no clock; then nothing is predicted.
  explicit sample_pace(std::uint64_t period_ns) noexcept : period_ns_{period_ns} {}

  void note(std::uint64_t sample_ns) noexcept { newest_ns_ = sample_ns; }
  // The time until the ring should be looked at again, at most longest_pause_ns.
  [[nodiscard]] std::uint64_t pause_ns(std::uint64_t now_ns) const noexcept;

 private:
  std::uint64_t period_ns_;
  std::uint64_t newest_ns_ = 0;
};

}  // namespace stallscope::collect
