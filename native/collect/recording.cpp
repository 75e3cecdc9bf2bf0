#include "collect/recording.hpp"

#include <algorithm>
#include <chrono>

#include "base/clock.hpp"
#include "collect/recording_checks.hpp"
#include "reader_process/short_slice.hpp"

namespace stallscope::collect {
namespace {

// The rings hold this time several times at any rate that is cheap enough to wait with.
constexpr std::chrono::milliseconds flight_wait{100};
constexpr std::uint64_t progress_interval_ns = 1'000'000'000;

}  // namespace

bool keeps_flight(const recording_facts& facts) {
  return std::ranges::find(facts.options.flight_ends, facts.end.reason) !=
         facts.options.flight_ends.end();
}

progress_numbers numbers_of_recording(const opened_recording& opened) {
  const auto& facts = opened.facts();
  const auto end = facts.end.monotonic_ns != 0 ? facts.end.monotonic_ns : monotonic_ns();
  return {facts.counts.samples, std::max(facts.lost_samples, facts.counts.lost_samples),
          opened.files().samples().size_bytes(),
          static_cast<double>(end - facts.start_monotonic_ns) / 1e9};
}

void recording::run() {
  auto& facts = opened_->facts();
  if (facts.options.waits) reader_process::request_short_slice(reader_process::highest_priority);
  if (auto& command = opened_->prepared().command) command->release();
  if (facts.options.flight_s > 0) {
    flight_.emplace(*opened_, attached_->waits()).divert();
    opened_->watch().limit_unfollowed_wait(flight_wait);
  }
  announce();
  if (facts.options.requests) {
    requests_.emplace(*opened_);
    if (flight_) flight_->follow(*requests_);
  }
  facts.end.reason = drain_until_end();
  facts.end.monotonic_ns = monotonic_ns();
  if (requests_) requests_->finish();
  read_counters();
  if (flight_) {
    if (!keeps_flight(facts)) {
      opened_->end_command_of_target();
      return;
    }
    flight_->finish();
    opened_->files().commit(facts);
  }
  add_check_warnings();
  opened_->close();
}

void recording::announce() {
  auto& facts = opened_->facts();
  if (facts.attach.descriptors == 0) {
    throw failure{exit_code::target_failed, "the target ended before it could be sampled",
                  "start it under the collector: stallscope-collect -o DIR -- COMMAND"};
  }
  // Without a trigger, nothing of the wait remains.
  if (!flight_) opened_->files().commit(facts);
  report_->started({facts.attach.mode,
                    facts.choice.event.name,
                    opened_->files().directory().path(),
                    {facts.pids.begin(), facts.pids.end()},
                    name_of(facts.stacks.kind),
                    describe(facts.stacks, facts.options.stack_bytes),
                    facts.warnings});
}

std::string recording::drain_until_end() {
  auto& watch = opened_->watch();
  auto& records = opened_->records();
  auto* python = opened_->python();
  auto* runtimes = opened_->runtimes();
  if (const auto& command = opened_->prepared().command) watch.watch_process(command->pid());
  watch.set_duration(opened_->facts().options.duration_s);
  std::optional<std::string> reason;
  auto next_progress_ns = monotonic_ns() + progress_interval_ns;
  while (!reason) {
    reason = watch.wait();
    if (!reason) reason = size_limit();
    if (python != nullptr) python->pass();
    if (runtimes != nullptr) runtimes->pass();
    attached_->write_lock_owners();
    records.pass();
    const auto pause_ns = runtimes == nullptr ? 0 : runtimes->next_pass_ns();
    watch.wake_at(pause_ns == 0 ? 0 : monotonic_ns() + pause_ns);
    if (python != nullptr) watch.follow_rings(python->drain_follows_rings());
    // The cost of recording waits depends on all records, not on those that are still kept.
    opened_->facts().counts = records.counts();
    if (auto* waits = attached_->waits()) waits->pass();
    if (flight_) {
      flight_->pass();
      opened_->facts().counts = flight_->counts();
    }
    if (monotonic_ns() < next_progress_ns) continue;
    auto numbers = numbers_of_recording(*opened_);
    if (requests_) numbers.requests = requests_->latency_counts();
    report_->progress(numbers);
    next_progress_ns = monotonic_ns() + progress_interval_ns;
  }
  return *reason;
}

std::optional<std::string> recording::size_limit() {
  auto& facts = opened_->facts();
  const auto limit = facts.options.max_bytes;
  if (limit == 0 || opened_->files().samples().size_bytes() < limit) return std::nullopt;
  facts.warnings.push_back({"size-limit", "the recording ended at its maximum size of " +
                                              std::to_string(limit >> 20U) +
                                              " MiB (--max-size); the data are complete up to the "
                                              "end"});
  return "size limit";
}

void recording::read_counters() {
  auto& facts = opened_->facts();
  auto& records = opened_->records();
  attached_->events().disable_all();
  attached_->write_lock_owners(true);
  if (auto* waits = attached_->waits()) waits->finish();
  records.pass();
  records.pass();  // applies what the scan of the first pass detected
  facts.counts = records.counts();
  if (flight_) {
    // The counters hold the whole wait.
    facts.counts = flight_->counts();
    facts.lost_samples = facts.counts.lost_samples;
  } else {
    facts.counter = attached_->events().read_all();
    facts.lost_samples =
        std::max(facts.counter ? facts.counter->lost : 0, facts.counts.lost_samples);
  }
  facts.attach.duplicates_closed = attached_->duplicates_closed();
}

void recording::add_check_warnings() {
  auto& facts = opened_->facts();
  const std::size_t places = attached_->of_threads() ? opened_->rings().rings.size() : 1;
  const auto& programs = opened_->records().execs().programs();
  for (auto& warning : {check_against_counter(facts), check_counter_was_shared(facts, places),
                        check_programs_of_others({programs.begin(), programs.end()})}) {
    if (warning) facts.warnings.push_back(*warning);
  }
}

}  // namespace stallscope::collect
