#include "collect/owner_session.hpp"

#include <chrono>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace stallscope::collect {
namespace {

// A pass costs 0.2 ms, and a frame of compressed records shrinks better when it is longer.
constexpr std::chrono::milliseconds drain_wait{100};

}  // namespace

owner_session::owner_session(opened_recording& opened) : opened_{&opened} {
  auto& waits = opened.facts().waits;
  auto& events = waits.of_threads;
  wait_source source{"lock_owners", false,
                     "context switches are recorded without registers, or not for each thread",
                     "run as root, or set kernel.perf_event_paranoid to 1"};
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto& attribute = events[i].attribute;
    const bool has_registers = (attribute.sample_type & PERF_SAMPLE_REGS_USER) != 0;
    if (events[i].role != wait_role::switch_samples || !has_registers) continue;
    if (attribute.exclude_callchain_kernel != 0 ||
        (attribute.disabled != 0 && attribute.enable_on_exec == 0)) {
      source.reason = "the target has more context switches per second than the reading can follow";
      source.remedy = "";
      continue;
    }
    attribute.watermark = 0;
    attribute.wakeup_events = 1;
    companion_ = i;
    source = {"lock_owners", true};
    break;
  }
  waits.sources.push_back(source);
}

void owner_session::start(const event_table& events) {
  if (!companion_) return;
  const auto list = events.ids_of_companion(*companion_);
  auto is_switch = [ids = std::unordered_set<std::uint64_t>{list.begin(), list.end()}](
                       std::uint64_t id) { return ids.contains(id); };
  const auto& attribute = opened_->facts().waits.of_threads[*companion_].attribute;
  try {
    reader_.emplace(opened_->prepared().proc, opened_->rings(),
                    owner_source{.attribute = attribute,
                                 .is_switch = std::move(is_switch),
                                 .cpu_share = opened_->facts().options.owner_share},
                    ring_filled_);
    reader_->start();
  } catch (const std::system_error& error) {
    reader_.reset();
    opened_->facts().warnings.push_back(
        {"lock-owners-stopped", std::string{"owners of locks are not known: "} + error.what()});
    return;
  }
  auto& watch = opened_->watch();
  watch.follow_rings(false);
  watch.watch_descriptor(ring_filled_.fd());
  watch.limit_unfollowed_wait(drain_wait);
}

void owner_session::pass(wait_recording& waits) {
  if (!reader_) return;
  ring_filled_.clear();
  if (waits.limited()) {  // no more samples of each switch
    finish(waits);
    opened_->watch().follow_rings(true);
    return;
  }
  std::string lines;
  reader_->pass(lines);
  if (!lines.empty()) waits.append_lines(lines);
}

void owner_session::finish(wait_recording& waits) {
  if (!reader_) return;
  std::string lines;
  reader_->finish(lines);
  if (!lines.empty()) waits.append_lines(lines);
  for (const auto& warning : reader_->warnings()) opened_->facts().warnings.push_back(warning);
  reader_.reset();
}

}  // namespace stallscope::collect
