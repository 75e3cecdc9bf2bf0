#include "collect/recording_header.hpp"

#include "collect/group_choice.hpp"
#include "collect/kernel_map.hpp"
#include "collect/record_compressor.hpp"
#include "collect/tracing_data.hpp"

namespace stallscope::collect {
namespace {

std::vector<event_header::kind> header_kinds(const event_choice& choice,
                                             std::span<const perf_event_attr> attributes,
                                             const event_table* events) {
  std::vector<event_header::kind> kinds;
  for (const auto& attribute : attributes) kinds.push_back({attribute, {}});
  if (events == nullptr) return kinds;
  for (std::uint32_t i = 0; i < kinds.size(); ++i) kinds[i].ids = events->ids_of(i);
  const auto group = attributes_of(choice);
  const auto names = names_of_others(choice);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& attribute =
        i < group.leading.size() ? group.leading[i] : group.following[i - group.leading.size()];
    kinds.push_back({attribute, events->ids_of_other(i), names[i]});
  }
  return kinds;
}

void add_wait_kinds(std::vector<event_header::kind>& kinds, const wait_plan& waits,
                    const event_table* events, const cpu_wide_events* cpu_wide) {
  for (std::size_t i = 0; events != nullptr && i < waits.of_threads.size(); ++i) {
    const auto& event = waits.of_threads[i];
    kinds.push_back({event.attribute, events->ids_of_companion(i), event.name});
  }
  for (std::size_t i = 0; cpu_wide != nullptr && i < waits.of_cpus.size(); ++i)
    kinds.push_back({waits.of_cpus[i].attribute, cpu_wide->ids_of(i), waits.of_cpus[i].name});
}

}  // namespace

void put_recording_header(record_buffer& out, recording_facts& facts,
                          std::span<const perf_event_attr> attributes, const event_table* events,
                          const cpu_wide_events* cpu_wide) {
  auto kinds = header_kinds(facts.choice, attributes, events);
  add_wait_kinds(kinds, facts.waits, events, cpu_wide);
  put_header(out,
             {std::move(kinds), facts.choice.event.name, facts.options.arguments,
              facts.start_monotonic_ns, facts.start_realtime_ns},
             facts.host);
  if (writes_compressed(facts.options)) put_compression(out);
  if (cpu_wide != nullptr) put_tracing_data(out, facts.waits.formats);
  // Reading /proc/kallsyms takes some 0.1 s of CPU time.
  if (facts.choice.attribute.exclude_kernel != 0) return;
  if (const auto layout = read_kernel_layout()) {
    put_kernel_map(out, *layout);
    put_kernel_modules(out);
  } else {
    facts.warnings.push_back(no_kernel_layout());
  }
  put_kernel_build_id(out);
}

}  // namespace stallscope::collect
