#include "cpuidle/governor.hpp"

#include <algorithm>
#include <stdexcept>

#include "cpuidle/haltpoll.hpp"
#include "cpuidle/ladder.hpp"
#include "cpuidle/menu.hpp"
#include "cpuidle/teo.hpp"

namespace stallscope::cpuidle {
namespace {

constexpr std::int64_t least_poll_ns = 10'000;

// One state whatever comes, as when all others are closed.
class fixed final : public governor {
 public:
  fixed(const machine& of, std::size_t state) : of_(of), state_(state) {}

  choice select(const situation& /*now*/) override {
    return {.state = state_, .stop_tick = !of_.states[state_].polling};
  }
  void reflect(const outcome& /*last*/) override {}
  std::int64_t poll_limit_ns() const override { return no_timer_ns; }

 private:
  machine of_;
  std::size_t state_;
};

void check(const machine& of, std::size_t fixed_state) {
  if (of.states.size() < 2 || of.states.size() > most_states) {
    throw std::invalid_argument("a governor chooses from 2 to 10 states");
  }
  if (of.tick_ns <= 0 || of.latency_limit_ns < 0 || fixed_state >= of.states.size()) {
    throw std::invalid_argument("the tick, the latency limit or the fixed state is out of range");
  }
}

}  // namespace

std::int64_t usual_poll_limit_ns(const machine& of) {
  const std::int64_t longest_ns = of.tick_ns / 16;
  for (const idle_state& state : of.states.subspan(1)) {
    if (!state.disabled && state.target_residency_ns >= least_poll_ns) {
      return std::min(state.target_residency_ns, longest_ns);
    }
  }
  return longest_ns;
}

std::unique_ptr<governor> make_governor(kind which, const machine& of, std::size_t fixed_state) {
  check(of, fixed_state);
  switch (which) {
    case kind::menu_6_1:
      return std::make_unique<menu>(of, menu_version::v6_1);
    case kind::menu_6_12:
      return std::make_unique<menu>(of, menu_version::v6_12);
    case kind::menu_6_18:
      return std::make_unique<menu>(of, menu_version::v6_18);
    case kind::teo_6_12:
      return std::make_unique<teo>(of, teo_version::v6_12);
    case kind::teo_6_18:
      return std::make_unique<teo>(of, teo_version::v6_18);
    case kind::ladder:
      return std::make_unique<ladder>(of);
    case kind::haltpoll:
      return std::make_unique<haltpoll>(of);
    case kind::fixed:
      return std::make_unique<fixed>(of, fixed_state);
  }
  throw std::invalid_argument("there is no such governor");
}

}  // namespace stallscope::cpuidle
