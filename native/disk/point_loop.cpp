#include "disk/point_loop.hpp"

#include <algorithm>
#include <cerrno>

namespace stallscope::disk {
namespace {

constexpr std::uint64_t tick_ns = 20'000'000;  // the longest sleep: a stop is seen by then
// Timing a submission for itself takes a system call more: one in so many turns is, and the first.
constexpr std::uint64_t split_every = 17;
// A device begins on these while the next ones are prepared. All 32 of a depth in one submission
// cost a fifth of a virtual disk's requests/s, and four at a time no more CPU.
constexpr std::size_t submitted_at_once = 4;
constexpr std::uint64_t hopeless_failures = 1000;
constexpr std::uint64_t patience_ns = 1'000'000'000;  // with a device that is silent after a stop
constexpr double ns_per_s = 1e9;

std::uint64_t ns_of(double seconds) { return static_cast<std::uint64_t>(seconds * ns_per_s); }

}  // namespace

point_loop::point_loop(channel& through, const point& asked, offsets where, run_control& control)
    : through_{through},
      asked_{asked},
      where_{where},
      control_{control},
      slots_(asked.depth),
      done_(asked.depth) {
  for (unsigned index = asked.depth; index-- > 0;) free_.push_back(index);
  prepared_.reserve(asked.depth);
  if (asked.rate_per_s) interval_ns_ = std::max<std::uint64_t>(1, ns_of(1 / *asked.rate_per_s));
}

measurements point_loop::run(window_watch& watch) {
  begun_ns_ = through_.now_ns();
  next_due_ns_ = begun_ns_;
  for (;;) {
    const std::uint64_t now_ns = through_.now_ns();
    advance_window(now_ns, watch);
    if (phase_ == phase::draining && (free_.size() == slots_.size() || silent(now_ns))) break;
    if (phase_ != phase::draining) fill(now_ns);
    const std::size_t count = exchange(now_ns);
    if (count > 0) settle(std::span{done_}.first(count), through_.now_ns(), watch);
  }
  return std::move(found_);
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
  if (prepared_.size() >= std::max<std::size_t>(submitted_at_once, asked_.batch)) hand_over();
  const unsigned index = free_.back();
  free_.pop_back();
  const bool writes = where_.next_writes();
  slots_[index] = {.due_ns = due_ns, .write = writes, .busy = true};
  through_.prepare({.slot = index, .write = writes, .offset = where_.next()});
  prepared_.push_back(index);
}

// Submits what is prepared, ahead of waiting; in a timed turn with the times of it.
void point_loop::hand_over() {
  if (!timed_turn()) {
    through_.submit();
  } else {
    const std::uint64_t submitted_ns = through_.now_ns();
    through_.submit();
    const std::uint64_t returned_ns = through_.now_ns();
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
      hand_over();
      now_ns = through_.now_ns();
    }
    prepared_.clear();
    ++turns_;
  }
  const auto busy = static_cast<unsigned>(slots_.size() - free_.size());
  const unsigned least = std::clamp(asked_.batch, 1U, std::max(busy, 1U));
  std::uint64_t most_ns = tick_ns;
  if (interval_ns_ != 0 && !free_.empty() && phase_ != phase::draining) {
    most_ns = std::min(most_ns, next_due_ns_ > now_ns ? next_due_ns_ - now_ns : 0);
  }
  return through_.wait(done_, least, most_ns);
}

void point_loop::settle(std::span<const completion> done, std::uint64_t seen_ns,
                        window_watch& watch) {
  for (const auto& [index, result] : done) {
    slot& finished = slots_[index];
    if (phase_ == phase::measuring) {
      record(finished, result, seen_ns);
      if (asked_.most_requests && found_.requests() + failed_ >= *asked_.most_requests) {
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
  found_.outstanding_ns += seen_ns - std::max(finished.due_ns, found_.begin_ns);
  if (result != static_cast<std::int64_t>(asked_.block_bytes)) [[unlikely]] {
    ++found_.errors[result < 0 ? -result : EIO];
    ++failed_;
    return;
  }
  const std::uint64_t slice = (seen_ns - found_.begin_ns) / slice_ns;
  if (slice >= found_.series.size()) found_.series.resize(slice + 1);
  ++found_.series[slice];
  (finished.write ? found_.writes : found_.reads).record(seen_ns - finished.due_ns);
  if (finished.returned_ns == 0) return;
  ++found_.split.requests;
  found_.split.queued_ns += finished.submitted_ns - finished.due_ns;
  found_.split.submitting_ns += finished.returned_ns - finished.submitted_ns;
  found_.split.device_ns += seen_ns - finished.returned_ns;
}

void point_loop::advance_window(std::uint64_t now_ns, window_watch& watch) {
  if (phase_ == phase::warming && now_ns - begun_ns_ >= ns_of(asked_.warmup_s)) {
    phase_ = phase::measuring;
    found_.begin_ns = now_ns;
    found_.series.reserve(ns_of(asked_.duration_s) / slice_ns + 1);
    watch.begin();
  }
  const bool stopped = control_.stop.load(std::memory_order_relaxed);
  if (stopped && stopped_ns_ == 0) stopped_ns_ = now_ns;
  if (phase_ == phase::warming && stopped) leave_warm_up(now_ns);
  if (phase_ != phase::measuring) return;
  // A device so slow that nothing came back within the time is given the time it takes.
  const bool over =
      now_ns - found_.begin_ns >= ns_of(asked_.duration_s) && found_.requests() + failed_ > 0;
  if (stopped || over || hopeless()) {
    found_.interrupted = stopped;
    close_window(now_ns, watch);
  }
}

void point_loop::leave_warm_up(std::uint64_t now_ns) {
  found_.begin_ns = found_.end_ns = now_ns;
  found_.interrupted = true;
  phase_ = phase::draining;
}

measurements point_loop::taken_over(std::uint64_t now_ns) {
  if (phase_ == phase::warming) leave_warm_up(now_ns);
  if (phase_ == phase::measuring) {
    found_.interrupted = true;
    window_watch none;
    close_window(now_ns, none);
  }
  return std::move(found_);
}

void point_loop::close_window(std::uint64_t now_ns, window_watch& watch) {
  watch.end();
  found_.end_ns = now_ns;
  for (const slot& open : slots_) {
    if (open.busy) found_.outstanding_ns += now_ns - std::max(open.due_ns, found_.begin_ns);
  }
  phase_ = phase::draining;
}

bool point_loop::timed_turn() const noexcept { return turns_ % split_every == 0; }

// The kernel keeps its own hold of what is in flight: it may be left behind.
bool point_loop::silent(std::uint64_t now_ns) const noexcept {
  return stopped_ns_ != 0 && now_ns - stopped_ns_ >= patience_ns;
}

bool point_loop::hopeless() const noexcept {
  return failed_ >= hopeless_failures && failed_ > found_.requests();
}

}  // namespace stallscope::disk
