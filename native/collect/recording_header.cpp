#include "collect/recording_header.hpp"

#include "collect/group_choice.hpp"
#include "collect/kernel_map.hpp"

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

}  // namespace

void put_recording_header(record_buffer& out, recording_facts& facts,
                          std::span<const perf_event_attr> attributes, const event_table* events) {
  put_header(out,
             {header_kinds(facts.choice, attributes, events), facts.choice.event.name,
              facts.options.arguments, facts.start_monotonic_ns, facts.start_realtime_ns},
             facts.host);
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
