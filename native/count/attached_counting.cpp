#include "count/attached_counting.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "collect/refusal.hpp"
#include "count/judgement.hpp"

namespace stallscope::count {
namespace {

// A limit of the output's size: windows become longer to stay below it.
constexpr double max_lines_per_s = 10'000;

}  // namespace

attached_counting::attached_counting(opened_counting& opened, collect::end_watch& watch)
    : opened_{&opened},
      attachment_{opened.prepared().proc, opened.facts().options, opened.facts().choice,
                  opened.prepared().descriptor_limit} {
  auto& facts = opened.facts();
  watch_target(watch);
  attachment_.attach(target());
  facts.members = attachment_.table().members();
  facts.descriptors = attachment_.table().descriptors();
  choose_window();
  facts.start = {monotonic_ns(), realtime_ns()};
  if (!counts_phases(facts.options)) begin_log(facts.start.monotonic_ns);
  take_warnings();
}

void attached_counting::watch_target(collect::end_watch& watch) const {
  auto& facts = opened_->facts();
  if (const auto& command = opened_->prepared().command) {
    facts.pids = {command->pid()};
    watch.watch_process(command->pid());
  }
  for (const pid_t pid : facts.options.pids) watch.watch_process(pid);
  for (const pid_t tid : facts.options.tids) watch.watch_process(tid);
}

attached_target attached_counting::target() const {
  const auto& prepared = opened_->prepared();
  return {prepared.command ? prepared.command->pid() : -1, &prepared.cgroup, prepared.cpus};
}

void attached_counting::choose_window() {
  auto& facts = opened_->facts();
  const auto lines = static_cast<double>(attachment_.table().scopes() * facts.choice.groups.size());
  const auto requested = static_cast<double>(facts.options.window_ms) * 1e6;
  const auto shortest = lines / max_lines_per_s * 1e9;
  facts.window_ns = static_cast<std::uint64_t>(std::max(requested, shortest));
  if (shortest <= requested) return;
  facts.warnings.push_back(
      {"window-lengthened",
       "the window is lengthened to " + std::to_string(facts.window_ns / 1'000'000) +
           " ms, because it has " + std::to_string(static_cast<std::uint64_t>(lines)) +
           " lines: one per group and CPU or thread"});
}

void attached_counting::begin_log(std::uint64_t start_ns) {
  log_begun_ = true;
  const auto& facts = opened_->facts();
  log_start start{{}, scope_name_of(facts.options), facts.window_ns, start_ns};
  for (std::size_t i = 0; i < facts.choice.groups.size(); ++i) {
    logged_group group{i, {}};
    for (const auto event : facts.choice.groups[i].events)
      group.events.push_back(facts.plan.events[event].name);
    start.groups.push_back(std::move(group));
  }
  opened_->log().begin(start);
}

void attached_counting::take_warnings() {
  auto& warnings = attachment_.warnings();
  auto& all = opened_->facts().warnings;
  all.insert(all.end(), warnings.begin(), warnings.end());
  warnings.clear();
}

std::uint64_t attached_counting::start_phase(std::uint64_t marked_ns) {
  auto& facts = opened_->facts();
  if (!log_begun_) begin_log(marked_ns);
  attachment_.follow_threads(facts.windows, opened_->log());
  const auto now = monotonic_ns();
  attachment_.enable();
  facts.phases.push_back({marked_ns, now, 0, 0, 0});
  return now;
}

std::uint64_t attached_counting::stop_phase(std::uint64_t marked_ns) {
  auto& facts = opened_->facts();
  attachment_.disable();
  auto& phase = facts.phases.back();
  phase.marked_stop_ns = marked_ns;
  phase.stop_ns = monotonic_ns();
  phase.window = facts.windows;
  read_window();
  return phase.stop_ns;
}

void attached_counting::read_window() {
  auto& facts = opened_->facts();
  if (!log_begun_) begin_log(monotonic_ns());
  attachment_.follow_threads(facts.windows, opened_->log());
  attachment_.table().read_all(facts.windows, opened_->log());
  opened_->log().flush();
  ++facts.windows;
}

void attached_counting::judge_groups() {
  auto& facts = opened_->facts();
  const auto& table = attachment_.table();
  auto judgement = judge_counting(facts.plan, facts.choice, table.totals());
  facts.never_ran = std::move(judgement.never_ran);
  facts.unverified_zero = std::move(judgement.unverified_zero);
  take_warnings();
  facts.warnings.insert(facts.warnings.end(), judgement.warnings.begin(), judgement.warnings.end());
  for (const auto& [error, times] : table.failed_reads()) {
    facts.warnings.push_back({"reads-refused", std::to_string(times) + " reads of groups failed (" +
                                                   collect::error_text(error) +
                                                   "): their windows are missing"});
  }
}

}  // namespace stallscope::count
