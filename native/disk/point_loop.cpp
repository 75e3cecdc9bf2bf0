#include "disk/point_loop.hpp"

#include <algorithm>
#include <cerrno>

namespace stallscope::disk {
namespace {

constexpr std::uint64_t tick_ns =
    20'000'000;  // maximum sleep, which bounds the reaction to a stop request
// Timing a submission separately takes an additional system call, so only some turns do it.
constexpr std::uint64_t split_every = 17;
// The device starts on these while the next requests are prepared. Submitting all 32 requests of a
// depth at once cost a virtual disk a fifth of its requests/s; four at a time took no more CPU.
constexpr std::size_t submitted_at_once = 4;
constexpr std::uint64_t max_failures = 1000;
constexpr std::uint64_t silence_limit_ns =
    1'000'000'000;  // for a device that is silent after a stop
constexpr double ns_per_s = 1e9;

std::uint64_t ns_of(double seconds) { return static_cast<std::uint64_t>(seconds * ns_per_s); }

}  // namespace

point_loop::point_loop(disk::channel& channel, const point& settings, disk::offsets offsets,
                       run_control& control)
    : channel_{channel},
      settings_{settings},
      offsets_{offsets},
      control_{control},
      slots_(settings.depth),
      done_(settings.depth) {
  for (unsigned index = settings.depth; index-- > 0;) free_.push_back(index);
  prepared_.reserve(settings.depth);
  if (settings.rate_per_s)
    interval_ns_ = std::max<std::uint64_t>(1, ns_of(1 / *settings.rate_per_s));
}

measurements point_loop::run(window_watch& watch) {
  begun_ns_ = channel_.now_ns();
  next_due_ns_ = begun_ns_;
  for (;;) {
    const std::uint64_t now_ns = channel_.now_ns();
    advance_window(now_ns, watch);
    if (phase_ == phase::draining && (free_.size() == slots_.size() || is_device_silent(now_ns)))
      break;
    if (phase_ != phase::draining) fill(now_ns);
    const std::size_t count = exchange(now_ns);
    if (count > 0) settle(std::span{done_}.first(count), channel_.now_ns(), watch);
  }
  return std::move(measured_);
}

void point_loop::fill(std::uint64_t now_ns) {
  if (interval_ns_ == 0) {
    while (!free_.empty()) start(now_ns);
    return;
  }
  for (; !free_.empty() && next_due_ns_ <= now_ns; next_due_ns_ += interval_ns_) {
    start(next_due_ns_);
  }
}

void point_loop::start(std::uint64_t due_ns) {
  if (prepared_.size() >= std::max<std::size_t>(submitted_at_once, settings_.batch))
    submit_prepared();
  const unsigned index = free_.back();
  free_.pop_back();
  const bool writes = offsets_.next_writes();
  slots_[index] = {.due_ns = due_ns, .write = writes, .busy = true};
  channel_.prepare({.slot = index, .write = writes, .offset = offsets_.next()});
  prepared_.push_back(index);
}

// Submits the prepared requests before the wait; in a timed turn it records the times.
void point_loop::submit_prepared() {
  if (!timed_turn()) {
    channel_.submit();
  } else {
    const std::uint64_t submitted_ns = channel_.now_ns();
    channel_.submit();
    const std::uint64_t returned_ns = channel_.now_ns();
    for (const unsigned index : prepared_) {
      slots_[index].submitted_ns = submitted_ns;
      slots_[index].returned_ns = returned_ns;
    }
  }
  prepared_.clear();
}

std::size_t point_loop::exchange(std::uint64_t now_ns) {
  if (!prepared_.empty()) {
    if (timed_turn()) {
      submit_prepared();
      now_ns = channel_.now_ns();
    }
    prepared_.clear();
    ++turns_;
  }
  const auto busy = static_cast<unsigned>(slots_.size() - free_.size());
  const unsigned min_count = std::clamp(settings_.batch, 1U, std::max(busy, 1U));
  std::uint64_t timeout_ns = tick_ns;
  if (interval_ns_ != 0 && !free_.empty() && phase_ != phase::draining) {
    timeout_ns = std::min(timeout_ns, next_due_ns_ > now_ns ? next_due_ns_ - now_ns : 0);
  }
  return channel_.wait(done_, min_count, timeout_ns);
}

void point_loop::settle(std::span<const completion> done, std::uint64_t seen_ns,
                        window_watch& watch) {
  for (const auto& [index, result] : done) {
    slot& finished = slots_[index];
    if (phase_ == phase::measuring) {
      record(finished, result, seen_ns);
      if (settings_.max_requests && measured_.requests() + failed_ >= *settings_.max_requests) {
        finished.busy = false;
        close_window(seen_ns, watch);
      }
    }
    finished.busy = false;
    free_.push_back(index);
  }
  seen_ += done.size();
  control_.requests.store(seen_, std::memory_order_relaxed);
}

void point_loop::record(const slot& finished, std::int32_t result, std::uint64_t seen_ns) {
  measured_.outstanding_ns += seen_ns - std::max(finished.due_ns, measured_.begin_ns);
  if (result != static_cast<std::int64_t>(settings_.block_bytes)) [[unlikely]] {
    ++measured_.errors[result < 0 ? -result : EIO];
    ++failed_;
    return;
  }
  const std::uint64_t slice = (seen_ns - measured_.begin_ns) / slice_ns;
  if (slice >= measured_.series.size()) measured_.series.resize(slice + 1);
  ++measured_.series[slice];
  (finished.write ? measured_.writes : measured_.reads).record(seen_ns - finished.due_ns);
  if (finished.returned_ns == 0) return;
  ++measured_.split.requests;
  measured_.split.queued_ns += finished.submitted_ns - finished.due_ns;
  measured_.split.submitting_ns += finished.returned_ns - finished.submitted_ns;
  measured_.split.device_ns += seen_ns - finished.returned_ns;
}

void point_loop::advance_window(std::uint64_t now_ns, window_watch& watch) {
  if (phase_ == phase::warming && now_ns - begun_ns_ >= ns_of(settings_.warmup_s)) {
    phase_ = phase::measuring;
    measured_.begin_ns = now_ns;
    measured_.series.reserve(ns_of(settings_.duration_s) / slice_ns + 1);
    watch.begin();
  }
  const bool stopped = control_.stop.load(std::memory_order_relaxed);
  if (stopped && stopped_ns_ == 0) stopped_ns_ = now_ns;
  if (phase_ == phase::warming && stopped) leave_warm_up(now_ns);
  if (phase_ != phase::measuring) return;
  // If nothing has completed within the duration, wait for the first completion.
  const bool over = now_ns - measured_.begin_ns >= ns_of(settings_.duration_s) &&
                    measured_.requests() + failed_ > 0;
  if (stopped || over || has_too_many_failures()) {
    measured_.interrupted = stopped;
    close_window(now_ns, watch);
  }
}

void point_loop::leave_warm_up(std::uint64_t now_ns) {
  measured_.begin_ns = measured_.end_ns = now_ns;
  measured_.interrupted = true;
  phase_ = phase::draining;
}

measurements point_loop::abandon(std::uint64_t now_ns) {
  if (phase_ == phase::warming) leave_warm_up(now_ns);
  if (phase_ == phase::measuring) {
    measured_.interrupted = true;
    window_watch none;
    close_window(now_ns, none);
  }
  return std::move(measured_);
}

void point_loop::close_window(std::uint64_t now_ns, window_watch& watch) {
  watch.end();
  measured_.end_ns = now_ns;
  for (const slot& pending : slots_) {
    if (pending.busy)
      measured_.outstanding_ns += now_ns - std::max(pending.due_ns, measured_.begin_ns);
  }
  phase_ = phase::draining;
}

bool point_loop::timed_turn() const noexcept { return turns_ % split_every == 0; }

// The kernel keeps its own references to requests in flight, so they can be abandoned.
bool point_loop::is_device_silent(std::uint64_t now_ns) const noexcept {
  return stopped_ns_ != 0 && now_ns - stopped_ns_ >= silence_limit_ns;
}

bool point_loop::has_too_many_failures() const noexcept {
  return failed_ >= max_failures && failed_ > measured_.requests();
}

}  // namespace stallscope::disk
