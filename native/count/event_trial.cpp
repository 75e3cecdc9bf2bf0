#include "count/event_trial.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

#include "base/clock.hpp"
#include "collect/refusal.hpp"
#include "count/pmu_facts.hpp"

namespace stallscope::count {
namespace {

// The kernel rotates groups every 4 ms at most, so ten rotations are enough for one turn.
constexpr std::uint64_t max_trial_ns = 40'000'000;

bool forbidden(int error) { return error == EACCES || error == EPERM; }

class trial {
 public:
  trial(const count_plan& plan, const trial_place& place) : plan_{&plan}, place_{place} {
    choice_.how = place.how;
    choice_.how.user_only = place.user_only;
    choice_.facts = read_pmu_facts();
  }

  counting_choice run() {
    encode();
    find_scope();
    find_available();
    if (!any_available()) refuse();
    pack_running();
    warn();
    return std::move(choice_);
  }

 private:
  void encode() {
    const perf_events::event_lookup awake;
    available_.assign(plan_->events.size(), true);
    for (const auto& planned : plan_->events) {
      perf_events::event_spec event;
      if (planned.encoded) {
        event.type = planned.type;
        event.config = planned.config;
        event.config1 = planned.config1;
        event.config2 = planned.config2;
      } else {
        try {
          event = perf_events::find_event(planned.known_as);
        } catch (const perf_events::unknown_event& error) {
          available_[choice_.events.size()] = false;
          choice_.unavailable.push_back(
              {refusal_cause::unknown_name, planned.name, 0, error.what(), "check its name"});
        }
      }
      event.name = planned.name;
      choice_.events.push_back(std::move(event));
    }
  }

  [[nodiscard]] bool any_available() const {
    return std::find(available_.begin(), available_.end(), true) != available_.end();
  }

  // Tries an event alone, or with the leader that its set requires.
  int try_alone(std::size_t number, const perf_events::counting& how) const {
    std::vector<perf_events::event_spec> events;
    const auto leader = leader_of(number);
    if (leader && *leader != number) events.push_back(choice_.events[*leader]);
    events.push_back(choice_.events[number]);
    return perf_events::open_group(events, how, place_.place).error;
  }

  [[nodiscard]] std::optional<std::size_t> leader_of(std::size_t number) const {
    std::optional<std::size_t> leader;
    for (const auto& set : plan_->sets) {
      const bool member =
          std::find(set.events.begin(), set.events.end(), number) != set.events.end();
      if (member && !set.leader) return std::nullopt;  // needs no leader
      if (member) leader = set.leader;
    }
    return leader;
  }

  // If this user may count only user code, all events count only user code.
  void find_scope() {
    if (choice_.how.user_only) return;
    perf_events::counting user = choice_.how;
    user.user_only = true;
    for (std::size_t i = 0; i < choice_.events.size(); ++i) {
      if (!available_[i] || !forbidden(try_alone(i, choice_.how))) continue;
      if (forbidden(try_alone(i, user))) continue;
      choice_.how = user;
      choice_.warnings.push_back(
          {"user-only", "only user code is counted: kernel.perf_event_paranoid is " +
                            collect::paranoid_level() + "; for the kernel's part " +
                            collect::privilege_remedy()});
      return;
    }
  }

  void find_available() {
    for (std::size_t i = 0; i < choice_.events.size(); ++i) {
      if (!available_[i]) continue;
      if (const auto refusal = refusal_of(i)) {
        available_[i] = false;
        choice_.unavailable.push_back(*refusal);
      }
    }
  }

  [[nodiscard]] std::optional<event_refusal> refusal_of(std::size_t number) {
    const auto& event = choice_.events[number];
    const auto availability = presence(event, choice_.facts);
    if (availability == event_presence::absent) return absent_event(event);
    const bool scheduler =
        event.type == PERF_TYPE_SOFTWARE && (event.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                             event.config == PERF_COUNT_SW_CPU_MIGRATIONS);
    if (scheduler && choice_.how.user_only) return kernel_only_event(event);
    const int error = try_alone(number, choice_.how);
    if (error != 0) return explain_refusal(event, error, choice_.facts);
    if (choice_.facts.is_arm && is_hardware(event) && availability == event_presence::unknown)
      choice_.unknown_presence.push_back(event.name);
    return std::nullopt;
  }

  [[noreturn]] void refuse() const {
    const auto& unavailable = choice_.unavailable;
    const auto& first = unavailable.front();
    const std::string what = unavailable.size() == 1
                                 ? "the event " + first.event + " cannot be counted: "
                                 : "none of the " + std::to_string(unavailable.size()) +
                                       " events can be counted; the first is " + first.event + ": ";
    const bool misnamed = std::all_of(
        unavailable.begin(), unavailable.end(),
        [](const auto& refusal) { return refusal.cause == refusal_cause::unknown_name; });
    throw failure{misnamed ? exit_code::usage : exit_code::unable, what + first.reason,
                  first.remedy};
  }

  [[nodiscard]] std::vector<packable_set> packable() const {
    std::vector<packable_set> sets;
    for (const auto& planned : plan_->sets) {
      packable_set set;
      set.software = true;
      for (const auto event : planned.events) {
        if (!available_[event]) continue;
        set.events.push_back(event);
        set.software = set.software && !is_hardware(choice_.events[event]);
      }
      if (planned.leader && available_[*planned.leader]) set.leader = planned.leader;
      sets.push_back(std::move(set));
    }
    return sets;
  }

  [[nodiscard]] std::vector<perf_events::event_spec> specs(
      std::span<const std::size_t> numbers) const {
    std::vector<perf_events::event_spec> events;
    for (const auto number : numbers) events.push_back(choice_.events[number]);
    return events;
  }

  // Packs the sets, and packs again while a group gets no counters: without events that get none
  // even alone, or otherwise with one event less per group.
  void pack_running() {
    const group_judge fits = [this](std::span<const std::size_t> numbers) {
      return perf_events::open_group(specs(numbers), choice_.how, place_.place).group.has_value();
    };
    std::size_t largest = std::numeric_limits<std::size_t>::max();
    while (true) {
      const auto packed = pack(packable(), fits, largest);
      const auto held = std::find_if(
          packed.groups.begin(), packed.groups.end(),
          [this](const auto& group) { return !group.software && !runs(group.events); });
      if (held == packed.groups.end()) {
        store(packed);
        return;
      }
      if (choice_.facts.users.empty()) choice_.facts.users = perf_users();
      if (drop_held(*held)) continue;
      largest = held->events.size() - 1;
      repacked_ = true;
    }
  }

  // Returns whether an event was dropped.
  bool drop_held(const packed_group& group) {
    bool dropped = false;
    for (const auto number : group.events) {
      std::vector<std::size_t> alone{number};
      if (group.leader && *group.leader != number) alone.insert(alone.begin(), *group.leader);
      const bool whole = alone.size() == group.events.size();
      if (!whole && runs(alone)) continue;
      available_[number] = false;
      dropped = true;
      choice_.unavailable.push_back(held_counter(choice_.events[number].name, choice_.facts));
    }
    if (!any_available()) refuse();
    return dropped;
  }

  // Returns whether the group is counted within ten rotations of the counters.
  [[nodiscard]] bool runs(std::span<const std::size_t> numbers) const {
    perf_events::counting now = choice_.how;
    now.enable_on_exec = false;
    auto opened = perf_events::open_group(specs(numbers), now, place_.place);
    if (!opened.group || !opened.group->enable()) return false;
    perf_events::group_reading reading;
    const auto deadline = monotonic_ns() + max_trial_ns;
    do {
      if (opened.group->read(reading) != 0) return false;
      if (reading.running_ns != 0) return true;
    } while (monotonic_ns() < deadline);
    return false;
  }

  void store(const packing& packed) {
    for (const auto& group : packed.groups) choice_.groups.push_back({group.events});
    choice_.groups_of_set = packed.groups_of_set;
    for (std::size_t i = 0; i < packed.groups_of_set.size(); ++i) {
      if (packed.groups_of_set[i].size() > 1) choice_.split_sets.push_back(plan_->sets[i].name);
    }
    for (const auto number : packed.unplaced) {
      choice_.unavailable.push_back(explain_refusal(choice_.events[number], EINVAL, choice_.facts));
    }
  }

  void warn() {
    if (repacked_) {
      choice_.warnings.push_back(
          {"counters-held", counter_holder(choice_.facts) + ": groups are smaller"});
    }
    for (const auto& name : choice_.split_sets) {
      choice_.warnings.push_back(
          {"set-split", "the events of " + name +
                            " do not fit in one group: they were not counted at the same time"});
    }
    for (const auto& refusal : choice_.unavailable) {
      choice_.warnings.push_back(
          {"event-unavailable", refusal.event + " is not counted: " + refusal.reason});
    }
  }

  const count_plan* plan_;
  trial_place place_;
  counting_choice choice_;
  std::vector<bool> available_;
  bool repacked_ = false;
};

}  // namespace

counting_choice choose_groups(const count_plan& plan, const trial_place& place) {
  return trial{plan, place}.run();
}

}  // namespace stallscope::count
