#include "collect/sample_pace.hpp"

#include <algorithm>

namespace stallscope::collect {
namespace {

// From the timer's interrupt until the record is complete, with its copied stack.
constexpr std::uint64_t completion_ns = 30'000;
constexpr std::uint64_t retry_ns = 100'000;
constexpr std::uint64_t patience_ns = 400'000;

}  // namespace

std::uint64_t clock_period_ns(const perf_event_attr& attribute) noexcept {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  const bool is_clock =
      attribute.type == PERF_TYPE_SOFTWARE &&
      (attribute.config == PERF_COUNT_SW_CPU_CLOCK || attribute.config == PERF_COUNT_SW_TASK_CLOCK);
  if (!is_clock) return 0;
  if (attribute.freq == 0) return attribute.sample_period;
  return attribute.sample_freq == 0 ? 0 : second_ns / attribute.sample_freq;
}

std::uint64_t sample_pace::pause_ns(std::uint64_t now_ns) const noexcept {
  if (period_ns_ == 0 || newest_ns_ == 0) return longest_pause_ns;
  const auto due_ns = newest_ns_ + period_ns_ + completion_ns;
  if (now_ns < due_ns) return std::min(due_ns - now_ns, longest_pause_ns);
  return now_ns - due_ns < patience_ns ? retry_ns : longest_pause_ns;
}

}  // namespace stallscope::collect
