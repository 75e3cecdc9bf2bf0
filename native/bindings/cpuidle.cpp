// Python binding of the idle replay; stallscope/_native.pyi documents the columns.
#include "cpuidle/replay.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings.hpp"
#include "columns.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

template <typename Value>
using column = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Value>
std::span<const Value> as_span(const column<Value>& values) {
  return {values.data(), values.shape(0)};
}

// One row per state: exit latency, target residency, polling, disabled.
using state_rows = nb::ndarray<const std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

std::vector<cpuidle::idle_state> states_of(const state_rows& rows) {
  std::vector<cpuidle::idle_state> states;
  for (std::size_t row = 0; row < rows.shape(0); ++row) {
    states.push_back({.exit_latency_ns = rows(row, 0),
                      .target_residency_ns = rows(row, 1),
                      .polling = rows(row, 2) != 0,
                      .disabled = rows(row, 3) != 0});
  }
  return states;
}

nb::tuple replay_idle(const state_rows& rows, std::int64_t latency_limit_ns, std::int64_t tick_ns,
                      const column<std::uint32_t>& cpu, const column<std::int64_t>& idle_ns,
                      const column<std::int64_t>& sleep_length_ns,
                      const column<std::int64_t>& next_tick_ns,
                      const column<std::uint8_t>& ended_by_tick,
                      const column<std::uint8_t>& entered, const column<std::uint32_t>& io_waiters,
                      const column<std::uint32_t>& load_hundredths, cpuidle::governor_kind which,
                      std::size_t fixed_state, bool follow_entered) {
  const std::vector<cpuidle::idle_state> states = states_of(rows);
  cpuidle::replay_result result;
  {
    const nb::gil_scoped_release released;
    result = cpuidle::replay(
        {.states = states, .latency_limit_ns = latency_limit_ns, .tick_ns = tick_ns},
        {.cpu = as_span(cpu),
         .idle_ns = as_span(idle_ns),
         .sleep_length_ns = as_span(sleep_length_ns),
         .next_tick_ns = as_span(next_tick_ns),
         .ended_by_tick = as_span(ended_by_tick),
         .entered = as_span(entered),
         .io_waiters = as_span(io_waiters),
         .load_hundredths = as_span(load_hundredths)},
        {.governor = which, .fixed_state = fixed_state, .follow_entered = follow_entered});
  }
  nb::list totals;
  for (std::size_t index = 0; index < states.size(); ++index) {
    const cpuidle::state_totals& state = result.states[index];
    totals.append(nb::make_tuple(state.entries, state.too_deep, state.too_shallow, state.wakeups,
                                 state.residency_ns));
  }
  return nb::make_tuple(totals, new_column(std::move(result.choices)));
}

}  // namespace

void add_cpuidle(nb::module_& module) {
  using cpuidle::governor_kind;
  nb::enum_<governor_kind>(module, "IdleGovernor")
      .value("MENU_4_9", governor_kind::menu_4_9)
      .value("MENU_TIMER", governor_kind::menu_timer)
      .value("MENU_6_1", governor_kind::menu_6_1)
      .value("MENU_6_12", governor_kind::menu_6_12)
      .value("MENU_6_18", governor_kind::menu_6_18)
      .value("TEO_6_12", governor_kind::teo_6_12)
      .value("TEO_6_18", governor_kind::teo_6_18)
      .value("LADDER", governor_kind::ladder)
      .value("HALTPOLL", governor_kind::haltpoll)
      .value("FIXED", governor_kind::fixed);
  module.def("replay_idle", &replay_idle, nb::kw_only(), nb::arg("states"),
             nb::arg("latency_limit_ns"), nb::arg("tick_ns"), nb::arg("cpu"), nb::arg("idle_ns"),
             nb::arg("sleep_length_ns"), nb::arg("next_tick_ns"), nb::arg("ended_by_tick"),
             nb::arg("entered"), nb::arg("io_waiters"), nb::arg("load_hundredths"),
             nb::arg("which"), nb::arg("fixed_state"), nb::arg("follow_entered"));
}

}  // namespace stallscope::bindings
