#include "reactor/reactor.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::reactor {
namespace {

using std::chrono::nanoseconds;

constexpr unsigned max_skipped_checks = 63;
constexpr std::size_t reserved_timers = 16;

nanoseconds monotonic_clock() { return nanoseconds{static_cast<nanoseconds::rep>(monotonic_ns())}; }

void control(const descriptor& epoll, int operation, int fd, epoll_event event) {
  if (::epoll_ctl(epoll.get(), operation, fd, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

epoll_event event_for(std::uint32_t events, event_handler& handler) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &handler;
  return event;
}

}  // namespace

reactor::reactor(const reactor_settings& settings)
    : clock_(settings.clock != nullptr ? settings.clock : monotonic_clock),
      task_quota_(settings.task_quota),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  timers_.reserve(reserved_timers);  // arming a timer then needs no memory
  read_clock();
}

void reactor::watch(int fd, std::uint32_t events, event_handler& handler) {
  control(epoll_, EPOLL_CTL_ADD, fd, event_for(events, handler));
}

void reactor::change(int fd, std::uint32_t events, event_handler& handler) {
  control(epoll_, EPOLL_CTL_MOD, fd, event_for(events, handler));
}

void reactor::unwatch(int fd, const event_handler& handler) noexcept {
  // If this fails, closing the descriptor removes it.
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (std::size_t i = 0; i < fetched_; ++i) {
    if (events_[i].data.ptr == &handler) events_[i].data.ptr = nullptr;
  }
}

void reactor::arm(timer& at_time, nanoseconds when) {
  timers_.push_back({when, times_armed_++, &at_time});
}

void reactor::disarm(const timer& at_time) {
  std::erase_if(timers_, [&](const armed_timer& armed) { return armed.at_time == &at_time; });
}

// Called after every call of a stage, which may take 50 ns or 50 us. The clock is skipped for as
// many calls as fit into a sixteenth of the quota at the current pace, and for at most twice as
// many calls as last time.
bool reactor::check_quota() {
  const nanoseconds present = clock_();
  if (present - now_ >= task_quota_) {
    preempted_ = true;
    return true;
  }
  const auto spent = std::max<nanoseconds::rep>((present - last_reading_).count(), 1);
  const auto fit = task_quota_.count() / 16 * (skipped_checks_ + 1) / spent;
  const auto max_skipped = std::min(2 * skipped_checks_ + 1, max_skipped_checks);
  skipped_checks_ = static_cast<unsigned>(std::clamp<nanoseconds::rep>(fit, 0, max_skipped));
  unchecked_calls_ = skipped_checks_;
  last_reading_ = present;
  return false;
}

int reactor::wait_ms(nanoseconds longest) {
  if (!tasks_.empty()) return 0;
  if (!timers_.empty()) {
    const auto next = std::ranges::min_element(timers_, {}, &armed_timer::when)->when;
    longest = std::min(longest, next - now_);
  }
  if (longest.count() <= 0) return 0;
  // Rounded up: a timer that wakes the loop too early would make it spin.
  const auto ms = (longest.count() - 1) / 1'000'000 + 1;
  const bool endless = ms > std::numeric_limits<int>::max();
  return endless ? -1 : static_cast<int>(ms);
}

void reactor::fetch_events(int timeout_ms) {
  const int got = ::epoll_wait(epoll_.get(), events_.data(), max_events, timeout_ms);
  if (got < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "epoll_wait");
  }
  fetched_ = got < 0 ? 0 : static_cast<std::size_t>(got);
}

void reactor::dispatch() {
  for (next_event_ = 0; next_event_ < fetched_;) {
    const epoll_event event = events_[next_event_++];
    auto* handler = static_cast<event_handler*>(event.data.ptr);
    if (handler != nullptr) handler->on_events(event.events);
    if (tasks_soon_) {
      read_clock();
      run_tasks();
    }
  }
  fetched_ = 0;
}

void reactor::fire_timers() {
  // A firing timer may arm and disarm others. Timers armed meanwhile wait for the next turn.
  const std::uint64_t armed_before = times_armed_;
  const auto due = [&](const armed_timer& armed) {
    return armed.when <= now_ && armed.number < armed_before;
  };
  while (std::ranges::any_of(timers_, due)) {
    const auto earlier = [&](const armed_timer& left, const armed_timer& right) {
      return std::pair(!due(left), left.when) < std::pair(!due(right), right.when);
    };
    const auto next = std::ranges::min_element(timers_, earlier);
    timer& fired = *next->at_time;
    timers_.erase(next);
    fired.fire();
  }
}

void reactor::run_tasks() {
  preempted_ = tasks_soon_ = false;
  const nanoseconds start = now_;
  // After a preempted task, or a full quota of short tasks, the loop returns to its descriptors.
  while (!tasks_.empty() && !preempted_ && now_ - start < task_quota_) {
    read_clock();
    last_reading_ = now_;
    skipped_checks_ = unchecked_calls_ = 0;
    tasks_.pop().run();
  }
}

void reactor::turn(nanoseconds longest) {
  fetch_events(wait_ms(longest));
  read_clock();
  if (turn_start_ != nullptr) turn_start_->run();
  dispatch();
  fire_timers();
  run_tasks();
  if (turn_end_ != nullptr) turn_end_->run();
}

void reactor::run() {
  while (!stopped_) turn(nanoseconds::max());
}

}  // namespace stallscope::reactor
