#include "count/counting.hpp"

#include <optional>

#include "base/clock.hpp"

namespace stallscope::count {

void counting::run() {
  auto& facts = opened_->facts();
  if (auto& command = opened_->prepared().command) command->release();
  announce();
  facts.end.reason = read_until_end();
  attached_->read_window();
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
  auto& facts = opened_->facts();
  watch_->set_duration(facts.options.duration_s);
  auto next = monotonic_ns() + facts.window_ns;
  std::optional<std::string> reason;
  while (!reason) {
    watch_->wake_at(next);
    reason = watch_->wait();
    const auto now = monotonic_ns();
    if (reason || now < next) continue;
    attached_->read_window();
    report_->progress(opened_->numbers());
    const auto passed = (now - next) / facts.window_ns;
    facts.missed_windows += passed;
    next += (passed + 1) * facts.window_ns;
  }
  return *reason;
}

}  // namespace stallscope::count
