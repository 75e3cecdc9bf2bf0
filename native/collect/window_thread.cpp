#include "collect/window_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t window_settling_ns = 50'000;

}  // namespace

window_thread::window_thread(const cpu_wide_events& events, const window_schedule& schedule)
    : events_{&events}, schedule_{schedule}, thread_{[this] { run(); }} {}

bool window_thread::wait(std::uint64_t ns) {
  std::unique_lock lock{mutex_};
  return !stopped_.wait_for(lock, std::chrono::nanoseconds{ns}, [this] { return stopping_; });
}

void window_thread::run() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  events_->disable();
  while (wait(schedule_.next_gap_ns())) {
    events_->enable();
    // This thread displaces threads of the target around the window, so that the window begins when
    // it sleeps and ends when it wakes.
    const auto enabled_ns = monotonic_ns();
    const auto planned_end_ns = enabled_ns + schedule_.length_ns();
    wait(schedule_.length_ns());
    const record_window window{enabled_ns + window_settling_ns,
                               std::min(planned_end_ns, monotonic_ns())};
    events_->disable();
    if (window.end_ns <= window.begin_ns) continue;
    const std::lock_guard lock{mutex_};
    windows_.push_back(window);
  }
}

void window_thread::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::vector<record_window> window_thread::take() {
  const std::lock_guard lock{mutex_};
  return std::exchange(windows_, {});
}

}  // namespace stallscope::collect
