#include "count/counting.hpp"

#include <sys/resource.h>

#include <utility>

#include "base/clock.hpp"
#include "count/phase_checks.hpp"

namespace stallscope::count {
namespace {

constexpr int max_changes_per_wait = 64;             // between two waits
constexpr std::size_t max_counted_phases = 100'000;  // of a counting; a bound of memory and output

}  // namespace

counting::counting(attached_counting& attached, collect::end_watch& watch,
                   collect::reporter& report)
    : attached_{&attached}, opened_{&attached.opened()}, watch_{&watch}, report_{&report} {
  const auto& options = opened_->facts().options;
  if (!counts_phases(options)) return;
  phases_.emplace(options.phases_fd);
  for (const int fd : phases_->descriptors()) watch_->watch_descriptor(fd);
  // Best effort, and only this thread: on a busy machine, changes would come many ms after the
  // marks.
  ::setpriority(PRIO_PROCESS, 0, -20);
}

void counting::run() {
  auto& facts = opened_->facts();
  if (auto& command = opened_->prepared().command) command->release();
  announce();
  facts.end.reason = read_until_end();
  if (phases_) {
    end_phases();
  } else {
    attached_->read_window();
  }
  attached_->judge_groups();
  opened_->close(*watch_);
}

void counting::announce() {
  opened_->commit();
  const auto& facts = opened_->facts();
  std::size_t events = 0;
  for (const auto& group : facts.choice.groups) events += group.events.size();
  report_->counting({facts.mode,
                     opened_->directory().path(),
                     {facts.pids.begin(), facts.pids.end()},
                     events,
                     facts.choice.groups.size(),
                     facts.warnings});
}

std::string counting::read_until_end() {
  const auto& facts = opened_->facts();
  watch_->set_duration(facts.options.duration_s);
  next_window_ns_ = monotonic_ns() + facts.window_ns;
  std::optional<std::string> reason;
  while (!reason) {
    watch_->wake_at(is_counting() ? next_window_ns_ : 0);
    reason = watch_->wait();
    if (follow_phases() && !reason) reason = "phases ended";
    if (!reason) read_due_window();
  }
  return *reason;
}

void counting::read_due_window() {
  auto& facts = opened_->facts();
  const auto now = monotonic_ns();
  if (!is_counting() || now < next_window_ns_) return;
  attached_->read_window();
  report_->progress(opened_->numbers());
  const auto passed = (now - next_window_ns_) / facts.window_ns;
  facts.missed_windows += passed;
  next_window_ns_ += (passed + 1) * facts.window_ns;
}

bool counting::follow_phases() {
  if (!phases_) return false;
  // Signals are read between waits: a load that marks without end cannot keep this thread busy.
  for (int changes = 0; changes < max_changes_per_wait; ++changes) {
    const auto change = phases_->take_due();
    if (!change) break;
    const auto changed_ns = change->starts ? attached_->start_phase(change->marked_ns)
                                           : attached_->stop_phase(change->marked_ns);
    phases_->acknowledge(*change, changed_ns);
    next_window_ns_ = changed_ns + opened_->facts().window_ns;
  }
  return phases_->ended() || opened_->facts().phases.size() >= max_counted_phases;
}

// The target or the duration may end before the phase.
void counting::end_phases() {
  if (phases_->running()) attached_->stop_phase(monotonic_ns());
  auto& facts = opened_->facts();
  if (facts.windows == 0) attached_->read_window();
  for (auto& warning : check_phases(facts.phases, phases_->bad_lines()))
    facts.warnings.push_back(std::move(warning));
}

}  // namespace stallscope::count
