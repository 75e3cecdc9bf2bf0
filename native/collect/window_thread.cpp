#include "collect/window_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/clock.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t window_settling_ns = 50'000;
// The drain takes the windows every 100 ms; these are the windows of several seconds.
constexpr std::size_t max_untaken_windows = 1024;

}  // namespace

std::vector<record_window> record_one_window(cpu_wide_events& events, double length_ns) {
  if (!events.open_window()) return {};
  const auto begin_ns = monotonic_ns();
  std::this_thread::sleep_for(std::chrono::nanoseconds{static_cast<std::int64_t>(length_ns)});
  const record_window window{begin_ns + window_settling_ns, monotonic_ns()};
  events.close_window();
  return {window};
}

window_thread::window_thread(cpu_wide_events& events, const window_schedule& schedule)
    : events_{&events}, schedule_{schedule} {
  windows_.reserve(max_untaken_windows);
  thread_ = std::thread{[this] { run(); }};
}

bool window_thread::wait_until(std::uint64_t time_ns) {
  const auto now_ns = monotonic_ns();
  const std::chrono::nanoseconds left{time_ns - std::min(time_ns, now_ns)};
  std::unique_lock lock{mutex_};
  return !stopped_.wait_for(lock, left, [this] { return stopping_; });
}

bool window_thread::open_window() noexcept {
  try {
    return events_->open_window();
  } catch (const std::exception&) {  // no memory: this window is left out
    return false;
  }
}

void window_thread::run() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  auto last_end_ns = monotonic_ns();
  while (true) {
    const auto gap_ns = static_cast<double>(schedule_.next_gap_ns()) * pace_.load();
    if (!wait_until(last_end_ns + static_cast<std::uint64_t>(gap_ns))) return;
    const bool opened = open_window();
    // This thread displaces threads of the target around the window, so that the window begins when
    // it sleeps and ends when it wakes.
    const auto enabled_ns = monotonic_ns();
    const auto planned_end_ns = enabled_ns + schedule_.length_ns();
    wait_until(planned_end_ns);
    const record_window window{enabled_ns + window_settling_ns,
                               std::min(planned_end_ns, monotonic_ns())};
    // Closing events takes up to 40 ms of waiting.
    events_->close_window();
    last_end_ns = planned_end_ns;
    if (!opened || window.end_ns <= window.begin_ns) continue;
    const std::lock_guard lock{mutex_};
    // The memory is reserved, because this thread may not throw. Without a place the window's time
    // stays unknown.
    if (windows_.size() < windows_.capacity()) windows_.push_back(window);
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
  std::vector<record_window> taken{windows_.begin(), windows_.end()};
  windows_.clear();
  return taken;
}

}  // namespace stallscope::collect
