#include "cpuidle/governor.hpp"

#include <algorithm>
#include <stdexcept>

#include "cpuidle/haltpoll.hpp"
#include "cpuidle/ladder.hpp"
#include "cpuidle/menu.hpp"
#include "cpuidle/menu_4_9.hpp"
#include "cpuidle/teo.hpp"

namespace stallscope::cpuidle {
namespace {

constexpr std::int64_t least_poll_ns = 10'000;

// Always chooses the same state, as if all others were disabled.
class fixed_governor final : public governor {
 public:
  fixed_governor(const idle_table& table, std::size_t state) : table_(table), state_(state) {}

  choice select(const situation& /*now*/) override {
    return {.state = state_, .stop_tick = !table_.states[state_].polling};
  }
  void reflect(const outcome& /*last*/) override {}
  std::int64_t poll_limit_ns() const override { return no_timer_ns; }

 private:
  idle_table table_;
  std::size_t state_;
};

void check_table(const idle_table& table, std::size_t fixed_state) {
  if (table.states.size() < 2 || table.states.size() > max_states) {
    throw std::invalid_argument("expected 2 to 10 idle states");
  }
  if (table.tick_ns <= 0 || table.latency_limit_ns < 0 || fixed_state >= table.states.size()) {
    throw std::invalid_argument("tick, latency limit or fixed state out of range");
  }
}

}  // namespace

std::int64_t default_poll_limit_ns(const idle_table& table) {
  const std::int64_t limit_ns = table.tick_ns / 16;
  for (const idle_state& state : table.states.subspan(1)) {
    if (!state.disabled && state.target_residency_ns >= least_poll_ns) {
      return std::min(state.target_residency_ns, limit_ns);
    }
  }
  return limit_ns;
}

std::unique_ptr<governor> make_governor(governor_kind which, const idle_table& table,
                                        std::size_t fixed_state) {
  check_table(table, fixed_state);
  switch (which) {
    case governor_kind::menu_4_9:
      return std::make_unique<menu_4_9>(table, menu_input::all);
    case governor_kind::menu_timer:
      return std::make_unique<menu_4_9>(table, menu_input::timer_only);
    case governor_kind::menu_6_1:
      return std::make_unique<menu>(table, menu_version::v6_1);
    case governor_kind::menu_6_12:
      return std::make_unique<menu>(table, menu_version::v6_12);
    case governor_kind::menu_6_18:
      return std::make_unique<menu>(table, menu_version::v6_18);
    case governor_kind::teo_6_12:
      return std::make_unique<teo>(table, teo_version::v6_12);
    case governor_kind::teo_6_18:
      return std::make_unique<teo>(table, teo_version::v6_18);
    case governor_kind::ladder:
      return std::make_unique<ladder>(table);
    case governor_kind::haltpoll:
      return std::make_unique<haltpoll>(table);
    case governor_kind::fixed:
      return std::make_unique<fixed_governor>(table, fixed_state);
  }
  throw std::invalid_argument("unknown governor");
}

}  // namespace stallscope::cpuidle
