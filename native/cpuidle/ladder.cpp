#include "cpuidle/ladder.hpp"

namespace stallscope::cpuidle {
namespace {

constexpr int promotion_count = 4;

}  // namespace

ladder::ladder(const idle_table& table)
    : table_(table),
      poll_limit_ns_(default_poll_limit_ns(table)),
      first_(table.states[0].polling ? 1 : 0),
      current_(first_) {}

bool ladder::must_leave() const {
  return table_.states[current_].disabled ||
         table_.states[current_].exit_latency_ns > table_.latency_limit_ns;
}

std::size_t ladder::within_limit() const {
  std::size_t state = current_ - 1;
  while (state > first_ && table_.states[state].exit_latency_ns > table_.latency_limit_ns) {
    --state;
  }
  return state;
}

// Counts an idle period that is long enough for the next state; true at the fourth.
bool ladder::climbs(std::int64_t slept_ns) {
  if (current_ + 1 >= table_.states.size()) {
    return false;
  }
  const idle_state& deeper = table_.states[current_ + 1];
  return !deeper.disabled && slept_ns > table_.states[current_].exit_latency_ns &&
         deeper.exit_latency_ns <= table_.latency_limit_ns &&
         ++longer_[current_] >= promotion_count;
}

choice ladder::select(const situation& /*now*/) {
  if (table_.latency_limit_ns == 0) {
    longer_[current_] = 0;
    return {.state = 0, .stop_tick = true};
  }
  const std::int64_t slept_ns = residency_ns_ - table_.states[current_].exit_latency_ns;
  std::size_t next = current_;
  if (climbs(slept_ns)) {
    next = current_ + 1;
  } else if (current_ > first_ && must_leave()) {
    next = within_limit();
  } else if (current_ > first_ && slept_ns < table_.states[current_].exit_latency_ns) {
    next = current_ - 1;
  }
  if (next != current_) {
    longer_[current_] = 0;
    current_ = next;
  }
  return {.state = next, .stop_tick = true};
}

void ladder::reflect(const outcome& last) {
  residency_ns_ = last.residency_ns;
  if (last.state > 0) {
    current_ = last.state;
  }
}

}  // namespace stallscope::cpuidle
