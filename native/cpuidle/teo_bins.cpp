#include "cpuidle/teo_bins.hpp"

namespace stallscope::cpuidle {
namespace {

constexpr std::uint32_t pulse = 1024;
constexpr std::uint32_t decay_shift = 3;

// The kernel assumes that a wake-up takes half the exit latency on average.
std::int64_t without_half_exit(std::int64_t residency_ns, std::int64_t exit_latency_ns) {
  return residency_ns >= exit_latency_ns ? residency_ns - exit_latency_ns / 2 : residency_ns / 2;
}

}  // namespace

void teo_bins::decay(std::uint32_t& metric) const {
  const std::uint32_t part = metric >> decay_shift;
  // 6.18 drops a remainder that is too small to decay.
  metric = part == 0 && version_ == teo_version::v6_18 ? 0 : metric - part;
}

teo_bins::bin_pair teo_bins::decay_bins(std::int64_t measured_ns) {
  bin_pair pair;
  total_ = 0;
  for (std::size_t index = 0; index < table_.states.size(); ++index) {
    decay(bins_[index].hits);
    decay(bins_[index].intercepts);
    total_ += bins_[index].hits + bins_[index].intercepts;
    const std::int64_t begins_ns = table_.states[index].target_residency_ns;
    if (begins_ns <= sleep_length_ns_) {
      pair.timer_bin = index;
      if (begins_ns <= measured_ns) {
        pair.measured_bin = index;
      }
    }
  }
  return pair;
}

void teo_bins::update(const outcome& last, std::int64_t sleep_length_ns) {
  sleep_length_ns_ = sleep_length_ns;
  if (version_ == teo_version::v6_12) {
    update_6_12(last);
  } else {
    update_6_18(last);
  }
}

void teo_bins::update_6_12(const outcome& last) {
  const bool safety_net = last.cause == end_cause::poll_limit ||
                          (last.cause == end_cause::tick && sleep_length_ns_ > table_.tick_ns);
  const std::int64_t measured_ns =
      safety_net || last.residency_ns >= sleep_length_ns_
          ? no_timer_ns
          : without_half_exit(last.residency_ns, table_.states[last.state].exit_latency_ns);
  bin_pair pair = decay_bins(measured_ns);
  if (!count_beyond_tick(pair, measured_ns)) {
    if (pair.timer_bin == pair.measured_bin) {
      bins_[pair.timer_bin].hits += pulse;
    } else {
      bins_[pair.measured_bin].intercepts += pulse;
    }
  }
  total_ += pulse;
}

// If the deepest state's target residency is below the tick period, hits beyond the tick have a
// separate bin.
bool teo_bins::count_beyond_tick(bin_pair& pair, std::int64_t measured_ns) {
  if (table_.states.back().target_residency_ns >= table_.tick_ns) {
    return false;
  }
  decay(beyond_tick_);
  total_ += beyond_tick_;
  if (sleep_length_ns_ < table_.tick_ns) {
    return false;
  }
  pair.timer_bin = table_.states.size();
  if (measured_ns < table_.tick_ns) {
    return false;
  }
  beyond_tick_ += pulse;
  return true;
}

void teo_bins::update_6_18(const outcome& last) {
  const std::int64_t exit_ns = table_.states[last.state].exit_latency_ns;
  std::int64_t measured_ns = no_timer_ns;
  decay(short_idles_);
  if (last.cause != end_cause::poll_limit) {
    measured_ns = without_half_exit(last.residency_ns, exit_ns);
    if (measured_ns < residency_threshold_ns || last.residency_ns < exit_ns) {
      short_idles_ += pulse;
    }
  }
  const bin_pair pair = decay_bins(measured_ns);
  const std::uint32_t before = total_;
  total_ += pulse;
  decay(tick_intercepts_);
  decay(total_tick_);
  if (last.cause == end_cause::tick && counted_as_tick(pair.timer_bin, before)) {
    return;
  }
  if (pair.timer_bin == pair.measured_bin && sleep_length_ns_ - measured_ns < exit_ns / 2) {
    bins_[pair.timer_bin].hits += pulse;
    return;
  }
  bins_[pair.measured_bin].intercepts += pulse;
  if (measured_ns <= table_.tick_ns) {
    tick_intercepts_ += pulse;
  }
}

bool teo_bins::counted_as_tick(std::size_t timer_bin, std::uint32_t before) {
  total_tick_ += pulse;
  if (3 * total_tick_ > 2 * total_) {  // ticks prevail: stopping the tick is better
    bins_[table_.states.size() - 1].hits += pulse;
    return true;
  }
  if (3 * tick_intercepts_ < 2 * before) {  // an expected intercept did not occur
    bins_[timer_bin].hits += pulse;
    return true;
  }
  return false;
}

bool teo_bins::intercepted_before_tick() const {
  std::uint32_t intercepts = tick_intercepts_;
  if (version_ == teo_version::v6_12) {
    for (std::size_t index = 0; index < table_.states.size(); ++index) {
      intercepts += bins_[index].intercepts;
    }
  }
  return intercepts > total_ / 2 + total_ / 8;
}

}  // namespace stallscope::cpuidle
