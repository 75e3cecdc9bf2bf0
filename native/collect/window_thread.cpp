#include "collect/window_thread.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::collect {

window_thread::window_thread(const cpu_wide_events& events, window_schedule schedule)
    : events_{&events}, schedule_{std::move(schedule)}, thread_{[this] { run(); }} {}

bool window_thread::wait(std::uint64_t ns) {
  std::unique_lock lock{mutex_};
  return !stopped_.wait_for(lock, std::chrono::nanoseconds{ns}, [this] { return stopping_; });
}

void window_thread::run() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  events_->disable();
  while (wait(schedule_.next_gap_ns())) {
    events_->enable();
    record_window window{monotonic_ns(), 0};
    wait(schedule_.length_ns());
    window.end_ns = monotonic_ns();
    events_->disable();
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
