#include "count/counter_table.hpp"

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"

namespace stallscope::count {
namespace {

// A child created while a group was being opened has inherited half of it. The group then cannot be
// read (ECHILD) and is opened again.
constexpr int max_readings = 8;

}  // namespace

std::size_t counter_table::add_scope(line_scope scope) {
  const auto groups = choice_->groups.size();
  scopes_.emplace(
      next_scope_,
      scope_entry{std::move(scope), {}, std::vector<perf_events::group_reading>(groups)});
  totals_.resize(groups);
  ended_.resize(groups);
  return next_scope_++;
}

std::vector<perf_events::event_spec> counter_table::specs(std::size_t group) const {
  std::vector<perf_events::event_spec> events;
  for (const auto number : choice_->groups[group].events) events.push_back(choice_->events[number]);
  return events;
}

int counter_table::open(std::size_t scope, const perf_events::event_place& place) {
  std::vector<perf_events::event_group> groups;
  for (int attempt = 0; attempt < max_readings; ++attempt) {
    groups.clear();
    for (std::size_t i = 0; i < choice_->groups.size(); ++i) {
      auto opened = perf_events::open_group(specs(i), choice_->how, place);
      if (!opened.group) return opened.error;
      groups.push_back(std::move(*opened.group));
    }
    perf_events::group_reading reading;
    const bool whole = std::none_of(groups.begin(), groups.end(), [&reading](const auto& group) {
      return group.read(reading) == ECHILD;
    });
    if (whole) break;
  }
  scopes_.at(scope).members.push_back(std::move(groups));
  return 0;
}

void counter_table::enable(std::size_t scope) {
  // If a member cannot be enabled, it has ended and is read without counts.
  for (const auto& member : scopes_.at(scope).members) {
    for (const auto& group : member) [[maybe_unused]] const bool on = group.enable();
  }
}

void counter_table::enable_all() {
  for (const auto& [number, entry] : scopes_) enable(number);
}

void counter_table::disable_all() {
  for (const auto& [number, entry] : scopes_) {
    for (const auto& member : entry.members) {
      for (const auto& group : member) [[maybe_unused]] const bool off = group.disable();
    }
  }
}

void counter_table::close_all() {
  for (auto& [number, entry] : scopes_) entry.members.clear();
}

bool counter_table::read_group(scope_entry& entry, std::size_t group,
                               perf_events::group_reading& sum) {
  perf_events::group_reading reading;
  for (const auto& member : entry.members) {
    if (const int error = member[group].read(reading)) {
      ++failed_reads_[error];
      return false;
    }
    sum.add(reading);
  }
  return true;
}

void counter_table::read_scope(std::size_t scope, std::uint64_t window, counter_log& log) {
  auto& entry = scopes_.at(scope);
  if (entry.members.empty()) return;
  for (std::size_t group = 0; group < choice_->groups.size(); ++group) {
    const auto now = monotonic_ns();
    perf_events::group_reading sum;
    if (!read_group(entry, group, sum)) continue;
    log.add({now, window}, group, entry.scope, sum);
    entry.last[group] = std::move(sum);
  }
}

void counter_table::read_all(std::uint64_t window, counter_log& log) {
  for (const auto& [number, entry] : scopes_) read_scope(number, window, log);
  totals_ = ended_;
  for (const auto& [number, entry] : scopes_) add_last(entry, totals_);
}

void counter_table::add_last(const scope_entry& entry,
                             std::vector<perf_events::group_reading>& sums) {
  for (std::size_t group = 0; group < sums.size(); ++group) {
    if (!entry.last[group].values.empty()) sums[group].add(entry.last[group]);
  }
}

void counter_table::drop(std::size_t scope) {
  add_last(scopes_.at(scope), ended_);
  scopes_.erase(scope);
}

std::size_t counter_table::descriptors_per_member() const {
  std::size_t sum = 0;
  for (const auto& group : choice_->groups) sum += group.events.size();
  return sum;
}

std::size_t counter_table::members() const {
  std::size_t sum = 0;
  for (const auto& [number, entry] : scopes_) sum += entry.members.size();
  return sum;
}

std::size_t counter_table::descriptors() const { return members() * descriptors_per_member(); }

}  // namespace stallscope::count
