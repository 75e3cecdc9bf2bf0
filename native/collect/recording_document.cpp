#include "collect/recording_document.hpp"

#include "collect/group_choice.hpp"
#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

const char* name_of(stack_method method) {
  switch (method) {
    case stack_method::frame_pointers:
      return "fp";
    case stack_method::copies:
      return "dwarf";
    case stack_method::automatic:
      return "auto";
  }
  return "auto";
}

json stacks_of(const recording_facts& facts) {
  json processes = json::array();
  for (const auto& process : facts.stacks.processes) {
    processes.push_back(
        {{"pid", process.pid},
         {"chosen", name_of(process.kind)},
         {"probed_samples", process.probed_samples},
         {"whole_share", process.whole_share ? json(*process.whole_share) : json(nullptr)}});
  }
  const bool copied = facts.stacks.kind != stack_kind::frame_pointers;
  return {{"requested", name_of(facts.options.stacks)},
          {"chosen", name_of(facts.stacks.kind)},
          {"copy_bytes", copied ? facts.options.stack_bytes : 0},
          {"why", facts.stacks.why},
          {"processes", processes}};
}

const char* name_of(target_kind kind) {
  switch (kind) {
    case target_kind::process:
      return "process";
    case target_kind::command:
      return "command";
    case target_kind::cpus:
      return "cpus";
    case target_kind::cgroup:
      return "cgroup";
  }
  return "process";
}

json target_of(const recording_facts& facts) {
  const auto& options = facts.options;
  return {{"kind", name_of(options.kind)},
          {"pids", facts.pids},
          {"cpus", facts.cpus},
          {"cgroup", options.cgroup.empty() ? json(nullptr) : json(options.cgroup)},
          {"command", options.command}};
}

const char* name_of(privilege_scope scope) {
  switch (scope) {
    case privilege_scope::allowed:
      return "allowed";
    case privilege_scope::user:
      return "user";
    case privilege_scope::kernel:
      return "kernel";
  }
  return "allowed";
}

json options_of(const collect_options& options) {
  return {{"event", options.event.empty() ? json(nullptr) : json(options.event)},
          {"with", options.with},
          {"leader", options.leader.empty() ? json(nullptr) : json(options.leader)},
          {"frequency_hz", options.period == 0 ? json(options.frequency_hz) : json(nullptr)},
          {"period", options.period != 0 ? json(options.period) : json(nullptr)},
          {"duration_s", options.duration_s > 0 ? json(options.duration_s) : json(nullptr)},
          {"scope", name_of(options.scope)},
          {"ring_bytes", options.ring_bytes != 0 ? json(options.ring_bytes) : json(nullptr)},
          {"max_stack", options.max_stack != 0 ? json(options.max_stack) : json(nullptr)},
          {"python", options.python ? "auto" : "off"},
          {"waits", options.waits},
          {"requests", options.requests},
          {"max_bytes", options.max_bytes != 0 ? json(options.max_bytes) : json(nullptr)},
          {"flight_s", options.flight_s > 0 ? json(options.flight_s) : json(nullptr)},
          {"flight_bytes", options.flight_s > 0 ? json(options.flight_bytes) : json(nullptr)},
          {"start_disabled", options.start_disabled}};
}

json source_of(const recording_facts& facts) {
  const auto& choice = facts.choice;
  json ladder = json::array();
  for (const auto& rung : choice.refused) {
    ladder.push_back({{"event", rung.event},
                      {"precise", rung.precise},
                      {"scope", rung.user_only ? "user" : "user+kernel"},
                      {"refused", error_text(rung.error)}});
  }
  const bool by_period = choice.how.period != 0;
  return {{"event", choice.event.name},
          {"kind", "measured"},
          {"unit", choice.event.counts_ns ? "ns" : "events"},
          {"scope", choice.attribute.exclude_kernel != 0 ? "user"
                    : choice.attribute.exclude_user != 0 ? "kernel"
                                                         : "user+kernel"},
          {"precise", choice.event.precise},
          {"frequency_hz", by_period ? json(nullptr) : json(choice.how.frequency_hz)},
          {"period", by_period ? json(choice.how.period) : json(nullptr)},
          {"ladder", ladder}};
}

json attach_of(const attach_facts& attach) {
  return {{"mode", attach.mode},
          {"threads", attach.threads},
          {"descriptors", attach.descriptors},
          {"duplicates_closed", attach.duplicates_closed},
          {"opened_monotonic_ns", attach.opened_ns},
          {"settled_monotonic_ns", attach.settled_ns},
          {"ring_bytes", attach.ring_bytes}};
}

// If samples are filtered by process, the events counted whole CPUs.
bool is_filtered(const recording_facts& facts) { return facts.attach.mode == "per-cpu filtered"; }

json counter_of(const recording_facts& facts) {
  if (!facts.counter) return nullptr;
  return {{"value", facts.counter->value},
          {"time_enabled_ns", facts.counter->enabled_ns},
          {"time_running_ns", facts.counter->running_ns},
          {"of", is_filtered(facts) ? "all processes on these CPUs" : "target"},
          {"sampled", sampled_periods(facts)}};
}

// The events counted with each sample; null without a group.
json group_of(const recording_facts& facts) {
  const auto& choice = facts.choice;
  if (!choice.how.read_group) return nullptr;
  return {{"leader", choice.leader ? json(choice.leader->name) : json(nullptr)},
          {"events", names_of_others(choice)},
          {"inherited", choice.how.inherit},
          {"counts", facts.counter ? json(facts.counter->others) : json(nullptr)}};
}

// The last seconds before a trigger; null for a recording from start to end.
json flight_of(const recording_facts& facts) {
  if (!facts.flight) return nullptr;
  const auto& flight = *facts.flight;
  const json trigger =
      flight.trigger ? json{{"monotonic_ns", flight.trigger->at_ns}, {"text", flight.trigger->text}}
                     : json(nullptr);
  return {{"trigger", trigger},
          {"began_monotonic_ns", flight.began_ns},
          {"from_monotonic_ns", flight.from_ns},
          {"memory_limited", flight.memory_limited},
          {"overwritten_samples", flight.overwritten_samples},
          {"overwritten_bytes", flight.overwritten_bytes},
          {"side_records_dropped", flight.side_records_dropped},
          {"definitions_dropped", flight.definitions_dropped}};
}

}  // namespace

std::uint64_t sampled_periods(const recording_facts& facts) {
  return facts.counts.periods + (is_filtered(facts) ? facts.counts.left_out_periods : 0);
}

std::string to_json(const recording_facts& facts) {
  const json document{
      {"schema", "stallscope.recording/1.0"},
      {"kind", "samples"},
      {"tool", tool_part()},
      {"complete", facts.complete},
      {"host", host_part(facts.host)},
      {"command", facts.options.arguments},
      {"target", target_of(facts)},
      {"options", options_of(facts.options)},
      {"source", source_of(facts)},
      {"stacks", stacks_of(facts)},
      {"attach", attach_of(facts.attach)},
      {"clocks", clocks_part({facts.start_monotonic_ns, facts.start_realtime_ns}, facts.end)},
      {"files", files_part(facts.files)},
      {"samples", facts.counts.samples},
      {"losses",
       {{"lost_samples", facts.lost_samples},
        {"lost_records", facts.counts.lost_records},
        {"throttles", facts.counts.throttles},
        {"duplicates_left_out", facts.attach.mode == "per-thread" ? facts.counts.left_out : 0}}},
      {"counter", counter_of(facts)},
      {"flight", flight_of(facts)},
      {"group", group_of(facts)},
      {"warnings", warnings_part(facts.warnings)},
      {"end", end_part(facts.end)}};
  return dump_document(document, 2);
}

std::string counter_line(const recording_facts& facts) {
  const auto of = [&facts](std::uint64_t perf_events::event_reading::*field) {
    return facts.counter ? json((*facts.counter).*field) : json(nullptr);
  };
  json events = json::array({facts.choice.event.name});
  json values = json::array({of(&perf_events::event_reading::value)});
  const auto others = names_of_others(facts.choice);
  for (std::size_t i = 0; i < others.size(); ++i) {
    events.push_back(others[i]);
    values.push_back(facts.counter ? json(facts.counter->others.at(i)) : json(nullptr));
  }
  return dump_document({{"events", events},
                        {"values", values},
                        {"time_enabled_ns", of(&perf_events::event_reading::enabled_ns)},
                        {"time_running_ns", of(&perf_events::event_reading::running_ns)},
                        {"cpu", nullptr},
                        {"thread", nullptr},
                        {"interval", {facts.start_monotonic_ns, facts.end.monotonic_ns}}},
                       -1);
}

}  // namespace stallscope::collect
