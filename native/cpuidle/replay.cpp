#include "cpuidle/replay.hpp"

#include <algorithm>
#include <stdexcept>

namespace stallscope::cpuidle {
namespace {

void check_intervals(const idle_table& table, const idle_intervals& intervals,
                     const replay_options& options) {
  const std::size_t length = intervals.idle_ns.size();
  if (intervals.cpu.size() != length || intervals.sleep_length_ns.size() != length ||
      intervals.next_tick_ns.size() != length || intervals.ended_by_tick.size() != length ||
      (options.follow_entered && intervals.entered.size() != length) ||
      (!intervals.io_waiters.empty() && intervals.io_waiters.size() != length) ||
      (!intervals.load_hundredths.empty() && intervals.load_hundredths.size() != length)) {
    throw std::invalid_argument("interval columns differ in length");
  }
  if (std::ranges::any_of(intervals.idle_ns, [](std::int64_t value) { return value < 0; })) {
    throw std::invalid_argument("idle interval is negative");
  }
  if (std::ranges::any_of(intervals.cpu, [](std::uint32_t cpu) { return cpu >= max_cpus; })) {
    throw std::invalid_argument("CPU number out of range");
  }
  if (std::ranges::any_of(intervals.entered,
                          [&](std::uint8_t state) { return state >= table.states.size(); })) {
    throw std::invalid_argument("entered state is not in the state table");
  }
}

class replayer {
 public:
  replayer(const idle_table& table, const idle_intervals& intervals, const replay_options& options)
      : table_(table), intervals_(intervals), options_(options) {
    std::uint32_t cpus = 0;
    for (const std::uint32_t cpu : intervals.cpu) {
      cpus = std::max(cpus, cpu + 1);
    }
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
      governors_.push_back(make_governor(options.governor, table, options.fixed_state));
    }
    result_.choices.reserve(intervals.idle_ns.size());
  }

  replay_result run() {
    for (std::size_t index = 0; index < intervals_.idle_ns.size(); ++index) {
      governor& chooser = *governors_[intervals_.cpu[index]];
      if (options_.follow_entered) {
        follow(chooser, index);
      } else {
        sleep(chooser, index);
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] situation at(std::size_t index) const {
    return {.sleep_length_ns = std::max<std::int64_t>(intervals_.sleep_length_ns[index], 0),
            .next_tick_ns = std::max<std::int64_t>(intervals_.next_tick_ns[index], 0),
            .io_waiters = intervals_.io_waiters.empty() ? 0 : intervals_.io_waiters[index],
            .load_hundredths =
                intervals_.load_hundredths.empty() ? 0 : intervals_.load_hundredths[index]};
  }

  void follow(governor& chooser, std::size_t index) {
    result_.choices.push_back(static_cast<std::uint8_t>(chooser.select(at(index)).state));
    const outcome last{.state = intervals_.entered[index],
                       .residency_ns = intervals_.idle_ns[index],
                       .cause = cause_of_end(index, false)};
    count(last.state, last.residency_ns, last.residency_ns);
    ++result_.states[last.state].wakeups;
    chooser.reflect(last);
  }

  [[nodiscard]] end_cause cause_of_end(std::size_t index, bool tick_stopped) const {
    const bool by_tick = intervals_.ended_by_tick[index] != 0 && !tick_stopped;
    return by_tick ? end_cause::tick : end_cause::wakeup;
  }

  void sleep(governor& chooser, std::size_t index) {
    situation now = at(index);
    std::int64_t left_ns = intervals_.idle_ns[index];
    for (std::size_t piece = 1;; ++piece) {
      const choice chosen = chooser.select(now);
      if (piece == 1) {
        result_.choices.push_back(static_cast<std::uint8_t>(chosen.state));
      }
      now.tick_stopped = now.tick_stopped || chosen.stop_tick;
      const std::int64_t slept_ns =
          piece < max_pieces ? std::min(left_ns, undisturbed_ns(chooser, chosen, now)) : left_ns;
      const bool whole = slept_ns == left_ns;
      enter(chooser, chosen.state, slept_ns,
            whole ? cause_of_end(index, now.tick_stopped) : cut_by(chosen.state));
      if (whole) {
        ++result_.states[chosen.state].wakeups;
        return;
      }
      left_ns -= slept_ns;
      now.sleep_length_ns = std::max<std::int64_t>(now.sleep_length_ns - slept_ns, 0);
      now.next_tick_ns = next_tick(now, slept_ns);
    }
  }

  // Maximum sleep until the tick or the polling limit ends it.
  [[nodiscard]] std::int64_t undisturbed_ns(const governor& chooser, const choice& chosen,
                                            const situation& now) const {
    if (table_.states[chosen.state].polling) {  // ticks do not end polling
      return std::max<std::int64_t>(chooser.poll_limit_ns(), 1);
    }
    // A timer due no later than the tick ends the interval itself.
    return now.tick_stopped || now.next_tick_ns >= now.sleep_length_ns ? no_timer_ns
                                                                       : now.next_tick_ns;
  }

  [[nodiscard]] end_cause cut_by(std::size_t state) const {
    return table_.states[state].polling ? end_cause::poll_limit : end_cause::tick;
  }

  [[nodiscard]] std::int64_t next_tick(const situation& now, std::int64_t slept_ns) const {
    if (now.tick_stopped) {
      return now.sleep_length_ns;
    }
    const std::int64_t left_ns = now.next_tick_ns - slept_ns;
    const std::int64_t tick_ns =
        left_ns > 0 ? left_ns : table_.tick_ns - (-left_ns) % table_.tick_ns;
    return std::min(tick_ns, now.sleep_length_ns);
  }

  void enter(governor& chooser, std::size_t state, std::int64_t slept_ns, end_cause cause) {
    const std::int64_t measured_ns = slept_ns + table_.states[state].exit_latency_ns;
    count(state, slept_ns, measured_ns);
    chooser.reflect({.state = state, .residency_ns = measured_ns, .cause = cause});
  }

  // drivers/cpuidle/cpuidle.c, cpuidle_enter_state(): what `above` and `below` count.
  void count(std::size_t state, std::int64_t slept_ns, std::int64_t measured_ns) {
    state_totals& totals = result_.states[state];
    const idle_state& entered = table_.states[state];
    ++totals.entries;
    totals.residency_ns += slept_ns;
    if (measured_ns < entered.target_residency_ns) {
      for (std::size_t shallower = state; shallower-- > 0;) {
        if (!table_.states[shallower].disabled) {
          ++totals.too_deep;
          return;
        }
      }
    } else if (measured_ns > entered.exit_latency_ns) {
      for (std::size_t deeper = state + 1; deeper < table_.states.size(); ++deeper) {
        if (!table_.states[deeper].disabled) {
          const std::int64_t fits_ns = measured_ns - entered.exit_latency_ns;
          totals.too_shallow += fits_ns >= table_.states[deeper].target_residency_ns ? 1U : 0U;
          return;
        }
      }
    }
  }

  idle_table table_;
  const idle_intervals& intervals_;
  replay_options options_;
  std::vector<std::unique_ptr<governor>> governors_;
  replay_result result_;
};

}  // namespace

replay_result replay(const idle_table& table, const idle_intervals& intervals,
                     const replay_options& options) {
  check_intervals(table, intervals, options);
  return replayer(table, intervals, options).run();
}

}  // namespace stallscope::cpuidle
