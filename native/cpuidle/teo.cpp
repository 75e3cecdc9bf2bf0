// What happened: bins and their decay. Choosing is in teo_select.cpp.
#include "cpuidle/teo.hpp"

namespace stallscope::cpuidle {
namespace {

constexpr std::uint32_t pulse = 1024;
constexpr std::uint32_t decay_shift = 3;

// The wake-up is thought to take half the exit latency on average.
std::int64_t without_half_exit(std::int64_t residency_ns, std::int64_t exit_latency_ns) {
  return residency_ns >= exit_latency_ns ? residency_ns - exit_latency_ns / 2 : residency_ns / 2;
}

}  // namespace

teo::teo(const machine& of, teo_version version)
    : of_(of), version_(version), poll_limit_ns_(usual_poll_limit_ns(of)) {}

void teo::decay(std::uint32_t& metric) const {
  const std::uint32_t part = metric >> decay_shift;
  // 6.18 lets what is too small to decay go.
  metric = part == 0 && version_ == teo_version::v6_18 ? 0 : metric - part;
}

teo::bins_found teo::decay_bins(std::int64_t measured_ns) {
  bins_found found;
  total_ = 0;
  for (std::size_t index = 0; index < of_.states.size(); ++index) {
    decay(bins_[index].hits);
    decay(bins_[index].intercepts);
    total_ += bins_[index].hits + bins_[index].intercepts;
    const std::int64_t begins_ns = of_.states[index].target_residency_ns;
    if (begins_ns <= sleep_length_ns_) {
      found.of_timer = index;
      if (begins_ns <= measured_ns) {
        found.of_measured = index;
      }
    }
  }
  return found;
}

void teo::reflect(const outcome& last) {
  if (version_ == teo_version::v6_12) {
    reflect_6_12(last);
  } else {
    reflect_6_18(last);
  }
}

void teo::reflect_6_12(const outcome& last) {
  const bool safety_net = last.by == ended_by::poll_limit ||
                          (last.by == ended_by::tick && sleep_length_ns_ > of_.tick_ns);
  const std::int64_t measured_ns =
      safety_net || last.residency_ns >= sleep_length_ns_
          ? no_timer_ns
          : without_half_exit(last.residency_ns, of_.states[last.state].exit_latency_ns);
  bins_found found = decay_bins(measured_ns);
  if (!counted_beyond_tick(found, measured_ns)) {
    if (found.of_timer == found.of_measured) {
      bins_[found.of_timer].hits += pulse;
    } else {
      bins_[found.of_measured].intercepts += pulse;
    }
  }
  total_ += pulse;
}

// Where the deepest state is worth it within a tick, longer idles have a bin of hits of their own.
bool teo::counted_beyond_tick(bins_found& found, std::int64_t measured_ns) {
  if (of_.states.back().target_residency_ns >= of_.tick_ns) {
    return false;
  }
  decay(beyond_tick_);
  total_ += beyond_tick_;
  if (sleep_length_ns_ < of_.tick_ns) {
    return false;
  }
  found.of_timer = of_.states.size();
  if (measured_ns < of_.tick_ns) {
    return false;
  }
  beyond_tick_ += pulse;
  return true;
}

void teo::reflect_6_18(const outcome& last) {
  const std::int64_t exit_ns = of_.states[last.state].exit_latency_ns;
  std::int64_t measured_ns = no_timer_ns;
  decay(short_idles_);
  if (last.by != ended_by::poll_limit) {
    measured_ns = without_half_exit(last.residency_ns, exit_ns);
    if (measured_ns < residency_threshold_ns || last.residency_ns < exit_ns) {
      short_idles_ += pulse;
    }
  }
  const bins_found found = decay_bins(measured_ns);
  const std::uint32_t before = total_;
  total_ += pulse;
  decay(tick_intercepts_);
  decay(total_tick_);
  if (last.by == ended_by::tick && counted_as_tick(found.of_timer, before)) {
    return;
  }
  if (found.of_timer == found.of_measured && sleep_length_ns_ - measured_ns < exit_ns / 2) {
    bins_[found.of_timer].hits += pulse;
    return;
  }
  bins_[found.of_measured].intercepts += pulse;
  if (measured_ns <= of_.tick_ns) {
    tick_intercepts_ += pulse;
  }
}

bool teo::counted_as_tick(std::size_t timer_bin, std::uint32_t before) {
  total_tick_ += pulse;
  if (3 * total_tick_ > 2 * total_) {  // ticks prevail: the tick had better be stopped
    bins_[of_.states.size() - 1].hits += pulse;
    return true;
  }
  if (3 * tick_intercepts_ < 2 * before) {  // an intercept was waited for that did not come
    bins_[timer_bin].hits += pulse;
    return true;
  }
  return false;
}

}  // namespace stallscope::cpuidle
