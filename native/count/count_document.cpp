#include "count/count_document.hpp"

#include <algorithm>
#include <cstring>

#include "collect/refusal.hpp"

namespace stallscope::count {
namespace {

json target_of(const count_facts& facts) {
  const auto& options = facts.options;
  return {{"kind", name_of(options.target)},
          {"pids", facts.pids},
          {"tids", options.tids},
          {"cpus", facts.cpus},
          {"cgroup", options.cgroup.empty() ? json(nullptr) : json(options.cgroup)},
          {"command", options.command}};
}

json options_of(const count_options& options) {
  return {{"plan", options.plan},
          {"window_ms", options.window_ms},
          {"duration_s", options.duration_s > 0 ? json(options.duration_s) : json(nullptr)},
          {"scope", options.user_only ? "user" : "allowed"},
          {"per_thread", options.per_thread},
          {"start_disabled", options.start_disabled},
          {"phases", counts_phases(options)}};
}

json groups_of(const count_facts& facts) {
  json groups = json::array();
  for (std::size_t i = 0; i < facts.choice.groups.size(); ++i) {
    json names = json::array();
    for (const auto event : facts.choice.groups[i].events)
      names.push_back(facts.plan.events[event].name);
    const auto& never = facts.never_ran;
    const bool ran = std::find(never.begin(), never.end(), i) == never.end();
    groups.push_back({{"group", i}, {"events", names}, {"ran", ran}});
  }
  return groups;
}

json sets_of(const count_facts& facts) {
  json sets = json::array();
  for (std::size_t i = 0; i < facts.choice.groups_of_set.size(); ++i) {
    const auto& groups = facts.choice.groups_of_set[i];
    sets.push_back(
        {{"name", facts.plan.sets[i].name}, {"groups", groups}, {"split", groups.size() > 1}});
  }
  return sets;
}

json unavailable_of(const count_facts& facts) {
  json list = json::array();
  for (const auto& refusal : facts.choice.unavailable) {
    const char* name = refusal.error != 0 ? ::strerrorname_np(refusal.error) : nullptr;
    list.push_back({{"event", refusal.event},
                    {"cause", name_of(refusal.cause)},
                    {"errno", name != nullptr ? json(name) : json(nullptr)},
                    {"reason", refusal.reason},
                    {"remedy", refusal.remedy}});
  }
  return list;
}

json phases_of(const count_facts& facts) {
  json list = json::array();
  for (const auto& phase : facts.phases) {
    list.push_back({{"marked_start_ns", phase.marked_start_ns},
                    {"start_ns", phase.start_ns},
                    {"marked_stop_ns", phase.marked_stop_ns},
                    {"stop_ns", phase.stop_ns},
                    {"window", phase.window}});
  }
  return list;
}

json source_of(const count_facts& facts) {
  return {{"event", "counters"},
          {"kind", "measured"},
          {"unit", "events"},
          {"scope", facts.choice.how.user_only ? "user" : "user+kernel"}};
}

json attach_of(const count_facts& facts) {
  return {{"mode", facts.mode},
          {"members", facts.members},
          {"descriptors", facts.descriptors},
          {"inherit", facts.choice.how.inherit}};
}

}  // namespace

const char* name_of(count_target target) {
  switch (target) {
    case count_target::processes:
      return "process";
    case count_target::threads:
      return "threads";
    case count_target::command:
      return "command";
    case count_target::cpus:
      return "cpus";
    case count_target::cgroup:
      return "cgroup";
  }
  return "process";
}

std::string to_json(const count_facts& facts) {
  const json document{{"schema", "stallscope.recording/1.0"},
                      {"kind", "counters"},
                      {"tool", collect::tool_part()},
                      {"complete", facts.complete},
                      {"host", collect::host_part(facts.host)},
                      {"command", facts.options.arguments},
                      {"target", target_of(facts)},
                      {"options", options_of(facts.options)},
                      {"source", source_of(facts)},
                      {"attach", attach_of(facts)},
                      {"counting",
                       {{"window_ns", facts.window_ns},
                        {"groups", groups_of(facts)},
                        {"sets", sets_of(facts)},
                        {"unavailable", unavailable_of(facts)},
                        {"unverified_zero", facts.unverified_zero},
                        {"phases", phases_of(facts)}}},
                      {"clocks", collect::clocks_part(facts.start, facts.end)},
                      {"files", collect::files_part(facts.files)},
                      {"windows", facts.windows},
                      {"losses", {{"missed_windows", facts.missed_windows}}},
                      {"warnings", collect::warnings_part(facts.warnings)},
                      {"end", collect::end_part(facts.end)}};
  return collect::dump_document(document, 2);
}

}  // namespace stallscope::count
