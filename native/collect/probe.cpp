#include "collect/probe.hpp"

#include <cstring>
#include <functional>

#include "base/json.hpp"
#include "collect/event_choice.hpp"
#include "collect/refusal.hpp"
#include "collect/stack_choice.hpp"
#include "perf_events/cpu_list.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {
namespace {

// A sampling attribute with the fewest options.
perf_event_attr plain(const std::string& name) {
  perf_events::sampling how;
  how.user_only = true;
  how.build_ids = false;
  how.count_lost = false;
  auto attribute = perf_events::sampling_attribute(perf_events::find_event(name), how);
  attribute.disabled = 1;
  return attribute;
}

int try_open(const perf_event_attr& attribute, perf_events::event_place place) {
  return perf_events::open_event(attribute, place).error;
}

json result(const char* name, int error, const std::string& detail) {
  return {{"name", name},
          {"ok", error == 0},
          {"errno", error == 0 ? json(nullptr) : json(::strerrorname_np(error))},
          {"detail", error == 0 ? detail : error_text(error)}};
}

json probe_precise(int cpu) {
  for (unsigned precise = perf_events::max_precise() + 1; precise-- > 0;) {
    auto attribute = plain("cycles");
    attribute.precise_ip = precise & 3U;
    const int error = try_open(attribute, {0, cpu, 0});
    if (error == 0) return result("precise", 0, std::to_string(precise));
    if (precise == 0) return result("precise", error, "");
  }
  return nullptr;
}

json probe_rings(int cpu) {
  constexpr std::size_t ring_bytes = std::size_t{2} << 20U;
  try {
    const auto set = perf_events::open_rings(std::vector<int>{cpu}, ring_bytes);
    return result("ring", 0,
                  std::to_string(set.data_bytes >> 10U) + " KiB on CPU " + std::to_string(cpu));
  } catch (const std::system_error& error) {
    return result("ring", error.code().value(), "");
  }
}

struct variation {
  const char* name;
  const char* detail;
  std::function<void(perf_event_attr&, perf_events::event_place&)> change;
};

const std::vector<variation>& variations() {
  static const std::vector<variation> all{
      {"kernel", "kernel code may be sampled",
       [](auto& attribute, auto&) {
         attribute.exclude_kernel = 0;
         attribute.exclude_hv = 0;
         attribute.exclude_callchain_kernel = 0;
       }},
      {"cpu-wide", "whole CPUs may be sampled", [](auto&, auto& place) { place.pid = -1; }},
      {"callchain", "call chains are recorded", [](auto&, auto&) {}},
      {"stack-copy", "stacks are copied with their registers",
       [](auto& attribute, auto&) {
         perf_events::sampling how;
         how.user_only = true;
         attribute =
             perf_events::sampling_attribute(perf_events::cpu_clock(), with_copies(how, 8192));
         attribute.build_id = 0;
         attribute.read_format &= ~perf_events::format_lost;
         attribute.disabled = 1;
       }},
      {"build-id", "mmap records carry build ids",
       [](auto& attribute, auto&) { attribute.build_id = 1; }},
      {"format-lost", "lost samples are counted by event",
       [](auto& attribute, auto&) { attribute.read_format |= perf_events::format_lost; }},
      {"context-switch", "context switches are recorded",
       [](auto& attribute, auto&) { attribute.context_switch = 1; }},
  };
  return all;
}

}  // namespace

std::string probe_machine() {
  const int cpu = perf_events::online_cpus().front();
  json probes = json::array();
  for (const char* name :
       {"cycles", "instructions", "cpu-clock", "task-clock", "page-faults", "context-switches"}) {
    probes.push_back(result(name, try_open(plain(name), {0, cpu, 0}), "can be sampled"));
  }
  probes.push_back(probe_precise(cpu));
  for (const auto& variation : variations()) {
    auto attribute = plain("cpu-clock");
    perf_events::event_place place{0, cpu, 0};
    variation.change(attribute, place);
    probes.push_back(result(variation.name, try_open(attribute, place), variation.detail));
  }
  probes.push_back(probe_rings(cpu));
  const json document{{"schema", "stallscope.probe/1"},
                      {"version", STALLSCOPE_VERSION},
                      {"paranoid", paranoid_level()},
                      {"max_sample_rate_hz", max_sample_rate()},
                      {"probes", probes}};
  return document.dump(2) + "\n";
}

}  // namespace stallscope::collect
