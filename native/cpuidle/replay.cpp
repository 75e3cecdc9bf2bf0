#include "cpuidle/replay.hpp"

#include <algorithm>
#include <stdexcept>

namespace stallscope::cpuidle {
namespace {

void check(const machine& of, const idle_intervals& given, const replay_options& options) {
  const std::size_t length = given.idle_ns.size();
  if (given.cpu.size() != length || given.sleep_length_ns.size() != length ||
      given.next_tick_ns.size() != length || given.ended_by_tick.size() != length ||
      (options.follow_entered && given.entered.size() != length)) {
    throw std::invalid_argument("the columns of intervals differ in length");
  }
  if (std::ranges::any_of(given.idle_ns, [](std::int64_t value) { return value < 0; })) {
    throw std::invalid_argument("an interval is negative");
  }
  if (std::ranges::any_of(given.cpu, [](std::uint32_t cpu) { return cpu >= most_cpus; })) {
    throw std::invalid_argument("a CPU's number is out of range");
  }
  if (std::ranges::any_of(given.entered,
                          [&](std::uint8_t state) { return state >= of.states.size(); })) {
    throw std::invalid_argument("a state was entered that the table has not");
  }
}

class replayer {
 public:
  replayer(const machine& of, const idle_intervals& given, const replay_options& options)
      : of_(of), given_(given), options_(options) {
    std::uint32_t cpus = 0;
    for (const std::uint32_t cpu : given.cpu) {
      cpus = std::max(cpus, cpu + 1);
    }
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
      governors_.push_back(make_governor(options.which, of, options.fixed_state));
    }
    made_.choices.reserve(given.idle_ns.size());
  }

  replay_result run() {
    for (std::size_t index = 0; index < given_.idle_ns.size(); ++index) {
      governor& chooser = *governors_[given_.cpu[index]];
      if (options_.follow_entered) {
        follow(chooser, index);
      } else {
        sleep(chooser, index);
      }
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] situation at(std::size_t index) const {
    return {.sleep_length_ns = std::max<std::int64_t>(given_.sleep_length_ns[index], 0),
            .next_tick_ns = std::max<std::int64_t>(given_.next_tick_ns[index], 0)};
  }

  void follow(governor& chooser, std::size_t index) {
    made_.choices.push_back(static_cast<std::uint8_t>(chooser.select(at(index)).state));
    const outcome last{.state = given_.entered[index],
                       .residency_ns = given_.idle_ns[index],
                       .by = end_of(index, false)};
    count(last.state, last.residency_ns, last.residency_ns);
    ++made_.states[last.state].wakeups;
    chooser.reflect(last);
  }

  [[nodiscard]] ended_by end_of(std::size_t index, bool tick_stopped) const {
    const bool by_tick = given_.ended_by_tick[index] != 0 && !tick_stopped;
    return by_tick ? ended_by::tick : ended_by::wakeup;
  }

  void sleep(governor& chooser, std::size_t index) {
    situation now = at(index);
    std::int64_t left_ns = given_.idle_ns[index];
    for (std::size_t piece = 1;; ++piece) {
      const choice chosen = chooser.select(now);
      if (piece == 1) {
        made_.choices.push_back(static_cast<std::uint8_t>(chosen.state));
      }
      now.tick_stopped = now.tick_stopped || chosen.stop_tick;
      const std::int64_t slept_ns =
          piece < most_pieces ? std::min(left_ns, undisturbed_ns(chooser, chosen, now)) : left_ns;
      const bool whole = slept_ns == left_ns;
      enter(chooser, chosen.state, slept_ns,
            whole ? end_of(index, now.tick_stopped) : cut_by(chosen.state));
      if (whole) {
        ++made_.states[chosen.state].wakeups;
        return;
      }
      left_ns -= slept_ns;
      now.sleep_length_ns = std::max<std::int64_t>(now.sleep_length_ns - slept_ns, 0);
      now.next_tick_ns = next_tick(now, slept_ns);
    }
  }

  // How long the CPU sleeps at most until a tick or the limit of polling ends it.
  [[nodiscard]] std::int64_t undisturbed_ns(const governor& chooser, const choice& chosen,
                                            const situation& now) const {
    if (of_.states[chosen.state].polling) {  // ticks are served while it polls on
      return std::max<std::int64_t>(chooser.poll_limit_ns(), 1);
    }
    // A timer that is due no later ends the interval by itself.
    return now.tick_stopped || now.next_tick_ns >= now.sleep_length_ns ? no_timer_ns
                                                                       : now.next_tick_ns;
  }

  [[nodiscard]] ended_by cut_by(std::size_t state) const {
    return of_.states[state].polling ? ended_by::poll_limit : ended_by::tick;
  }

  [[nodiscard]] std::int64_t next_tick(const situation& now, std::int64_t slept_ns) const {
    if (now.tick_stopped) {
      return now.sleep_length_ns;
    }
    const std::int64_t left_ns = now.next_tick_ns - slept_ns;
    const std::int64_t tick_ns = left_ns > 0 ? left_ns : of_.tick_ns - (-left_ns) % of_.tick_ns;
    return std::min(tick_ns, now.sleep_length_ns);
  }

  void enter(governor& chooser, std::size_t state, std::int64_t slept_ns, ended_by by) {
    const std::int64_t measured_ns = slept_ns + of_.states[state].exit_latency_ns;
    count(state, slept_ns, measured_ns);
    chooser.reflect({.state = state, .residency_ns = measured_ns, .by = by});
  }

  // drivers/cpuidle/cpuidle.c, cpuidle_enter_state(): what `above` and `below` count.
  void count(std::size_t state, std::int64_t slept_ns, std::int64_t measured_ns) {
    state_totals& totals = made_.states[state];
    const idle_state& entered = of_.states[state];
    ++totals.entries;
    totals.residency_ns += slept_ns;
    if (measured_ns < entered.target_residency_ns) {
      for (std::size_t shallower = state; shallower-- > 0;) {
        if (!of_.states[shallower].disabled) {
          ++totals.too_deep;
          return;
        }
      }
    } else if (measured_ns > entered.exit_latency_ns) {
      for (std::size_t deeper = state + 1; deeper < of_.states.size(); ++deeper) {
        if (!of_.states[deeper].disabled) {
          const std::int64_t fits_ns = measured_ns - entered.exit_latency_ns;
          totals.too_shallow += fits_ns >= of_.states[deeper].target_residency_ns ? 1U : 0U;
          return;
        }
      }
    }
  }

  machine of_;
  const idle_intervals& given_;
  replay_options options_;
  std::vector<std::unique_ptr<governor>> governors_;
  replay_result made_;
};

}  // namespace

replay_result replay(const machine& of, const idle_intervals& intervals,
                     const replay_options& options) {
  check(of, intervals, options);
  return replayer(of, intervals, options).run();
}

}  // namespace stallscope::cpuidle
