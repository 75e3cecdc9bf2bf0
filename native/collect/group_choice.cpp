#include "collect/group_choice.hpp"

#include <cerrno>
#include <utility>

#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

// No PMU has more counters, and the number of descriptors grows with every event.
constexpr std::size_t max_events = 31;

perf_events::event_spec find_member(const std::string& name) {
  try {
    return perf_events::find_event(name);
  } catch (const perf_events::unknown_event& error) {
    throw failure{exit_code::usage, error.what(),
                  "name events that libpfm4 knows on this machine, or give the encoding: "
                  "NAME=TYPE:CONFIG"};
  }
}

struct trial {
  int error = 0;
  std::string refused;  // the event at which the group failed
};

// Opens the group with the options of the target's events.
trial try_group(const event_choice& choice, const perf_events::event_place& at) {
  const auto group = attributes_of(choice);
  const auto names = names_of_others(choice);
  std::vector<std::pair<perf_event_attr, std::string>> all;
  for (std::size_t i = 0; i < group.leading.size(); ++i)
    all.emplace_back(group.leading[i], names[i]);
  all.emplace_back(perf_events::sampling_attribute(choice.event, choice.how), choice.event.name);
  for (std::size_t i = 0; i < group.following.size(); ++i)
    all.emplace_back(group.following[i], names[group.leading.size() + i]);
  all.front().first.disabled = 1;
  std::vector<descriptor> opened;
  perf_events::event_place place = at;
  for (const auto& [attribute, name] : all) {
    auto event = perf_events::open_event(attribute, place);
    if (!event.fd) return {event.error, name};
    if (place.group_fd < 0) place.group_fd = event.fd.get();
    opened.push_back(std::move(event.fd));
  }
  return {};
}

failure group_refusal(const trial& result, const event_choice& choice) {
  const auto names = names_of_others(choice);
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  const std::string what = "the kernel refused to count " + list + " in one group with " +
                           choice.event.name + ": at " + result.refused +
                           " perf_event_open returns " + error_text(result.error);
  switch (result.error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return {exit_code::unable, what,
              "this machine has no such event (a virtual machine without a PMU has no hardware "
              "events): see stallscope doctor, or count software events"};
    case EINVAL:
      return {exit_code::unable, what,
              "the group does not fit into this CPU's counters, or an event must lead it "
              "(--leader): count fewer events"};
    case EACCES:
    case EPERM:
      return {exit_code::unable, what, privilege_remedy()};
    default:
      return {exit_code::unable, what, "see stallscope doctor for what this machine can measure"};
  }
}

warning not_inherited(target_kind kind) {
  const std::string consequence =
      kind == target_kind::command
          ? "only the command's first thread is sampled"
          : "threads and processes created after the start are not sampled";
  return {"group-not-inherited",
          "this kernel cannot inherit events whose samples hold the counts of a group (Linux 6.13 "
          "can): " +
              consequence + "; to sample everything, sample whole CPUs (-a)"};
}

}  // namespace

void choose_group(event_choice& choice, const collect_options& options) {
  if (options.with.empty() && options.leader.empty()) return;
  if (!options.leader.empty()) choice.leader = find_member(options.leader);
  for (const auto& name : options.with) choice.members.push_back(find_member(name));
  if (choice.members.size() > max_events)
    throw failure{exit_code::usage,
                  "--with names " + std::to_string(choice.members.size()) + " events",
                  "name at most " + std::to_string(max_events)};
  choice.how.read_group = true;
  const auto place = place_of_trials(options);
  auto result = try_group(choice, place);
  if (result.error == EINVAL && choice.how.inherit) {
    choice.how.inherit = false;
    result = try_group(choice, place);
    if (result.error == 0) choice.warnings.push_back(not_inherited(options.kind));
  }
  if (result.error != 0) throw group_refusal(result, choice);
  choice.attribute = perf_events::sampling_attribute(choice.event, choice.how);
}

group_attributes attributes_of(const event_choice& choice) {
  group_attributes group;
  if (!choice.how.read_group) return group;
  if (choice.leader) {
    group.leading.push_back(perf_events::member_attribute(*choice.leader, choice.how));
    group.leading.front().disabled = choice.how.enable_on_exec;
    group.leading.front().enable_on_exec = choice.how.enable_on_exec;
  }
  for (const auto& member : choice.members)
    group.following.push_back(perf_events::member_attribute(member, choice.how));
  return group;
}

std::vector<std::string> names_of_others(const event_choice& choice) {
  std::vector<std::string> names;
  if (!choice.how.read_group) return names;
  if (choice.leader) names.push_back(choice.leader->name);
  for (const auto& member : choice.members) names.push_back(member.name);
  return names;
}

}  // namespace stallscope::collect
