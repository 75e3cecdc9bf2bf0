#include "collect/opened_recording.hpp"

#include <algorithm>
#include <system_error>

#include "base/clock.hpp"
#include "collect/command_end.hpp"
#include "collect/early_end.hpp"
#include "collect/recording_header.hpp"
#include "collect/sample_pace.hpp"
#include "collect/stack_selection.hpp"

namespace stallscope::collect {

opened_recording::opened_recording(prepared_recording& prepared, end_watch& watch)
    : prepared_{&prepared},
      watch_{&watch},
      files_{prepared.facts.options.directory, prepared.facts.options.force} {
  auto& choice = facts().choice;
  const auto& options = facts().options;
  facts().stacks = select_stacks(prepared);
  if (facts().stacks.kind != stack_kind::frame_pointers) {
    choose_copied_bytes();
    choice.how = with_copies(choice.how, options.stack_bytes);
    check_space();
  }
  note_start();
  try {
    files_.begin(facts());
    open_rings();
    choice.how.wake_per_sample = python_session::wakes_per_sample(*prepared.targets, options);
    set_attributes();
    if (has_single_event()) write_header(nullptr);
    if (options.python) {
      python_.emplace(prepared.proc, rings_, files_.directory(), choice.how.wake_per_sample);
      watch_->follow_rings(python_->drain_follows_rings());
    }
    if (may_have_runtimes())
      runtimes_.emplace(prepared.proc, rings_, files_.directory(),
                        clock_period_ns(attributes_.front()));
  } catch (const std::system_error& error) {
    throw failed_start(error);
  }
  drain_.emplace(rings_.views(), files_.samples());
  if (writes_compressed(prepared.facts.options)) drain_->compress();
  if (runtimes_) {
    trimmer_.emplace(runtimes_->ends());
    drain_->set_trimmer(&*trimmer_);
  }
}

// Stacks of managed code are deep: at 8 KiB a third of those of a compiler are cut.
void opened_recording::choose_copied_bytes() {
  constexpr std::uint32_t bytes_with_runtime = 32'768;
  auto& options = facts().options;
  if (options.stack_bytes_requested || !facts().stacks.with_runtime) return;
  options.stack_bytes = std::max(options.stack_bytes, bytes_with_runtime);
}

// A process that runs no runtime when it is attached is not expected to load one.
bool opened_recording::may_have_runtimes() const {
  const auto& options = facts().options;
  return options.runtimes && facts().stacks.kind != stack_kind::frame_pointers &&
         (options.kind != target_kind::process || facts().stacks.with_runtime);
}

void opened_recording::check_space() {
  const auto free_bytes = files_.directory().free_bytes();
  if (!free_bytes) return;
  if (auto warning = space_warning(facts().choice.how, prepared_->cpus.size(),
                                   facts().options.duration_s, *free_bytes))
    facts().warnings.push_back(std::move(*warning));
}

void opened_recording::note_start() {
  facts().start_monotonic_ns = monotonic_ns();
  facts().start_realtime_ns = realtime_ns();
}

void opened_recording::open_rings() {
  const auto& cpus = prepared_->cpus;
  const std::size_t requested_bytes = facts().options.ring_bytes;
  const std::size_t ring_bytes =
      requested_bytes != 0 ? requested_bytes
                           : ring_bytes_for(facts().choice.how, cpus.size(),
                                            facts().host.memory_bytes, facts().options.waits);
  try {
    rings_ = perf_events::open_rings(cpus, ring_bytes);
  } catch (const std::system_error& error) {
    throw failure{exit_code::unable,
                  std::string{"the ring buffers cannot be opened: "} + error.what(),
                  "raise the limits of locked memory (ulimit -l, kernel.perf_event_mlock_kb) and "
                  "open files (ulimit -n)"};
  }
  facts().attach.ring_bytes = rings_.data_bytes;
  if (rings_.data_bytes < ring_bytes) {
    facts().warnings.push_back(
        {"small-rings", "the ring buffers have only " + std::to_string(rings_.data_bytes >> 10U) +
                            " KiB each: the limit of locked memory allows no more (ulimit -l)"});
  }
  watch_->watch_rings(rings_.rings);
}

void opened_recording::set_attributes() {
  auto how = facts().choice.how;
  how.wakeup_bytes = static_cast<std::uint32_t>(rings_.data_bytes / 4);
  facts().choice.how = how;
  attributes_ = {perf_events::sampling_attribute(facts().choice.event, how)};
  if (facts().stacks.kind == stack_kind::mixed) {
    how.stack_bytes = 0;
    attributes_.push_back(perf_events::sampling_attribute(facts().choice.event, how));
  }
  facts().choice.attribute = attributes_.front();
}

bool opened_recording::has_single_event() const {
  return attributes_.size() == 1 && !facts().choice.how.read_group && !facts().waits.active;
}

void opened_recording::write_header(const event_table* events, const cpu_wide_events* cpu_wide) {
  record_buffer header;
  put_recording_header(header, facts(), attributes_, has_single_event() ? nullptr : events,
                       cpu_wide);
  files_.samples().append(header.bytes());
}

void opened_recording::copy_all_stacks() {
  auto& stacks = facts().stacks;
  stacks.kind = stack_kind::copies;
  stacks.why += "; sampling whole CPUs needs one method for all processes";
  for (auto& process : stacks.processes) process.kind = stack_kind::copies;
  attributes_ = {perf_events::sampling_attribute(facts().choice.event, facts().choice.how)};
  facts().choice.attribute = attributes_.front();
}

void opened_recording::record_switches() {
  facts().choice.how.context_switches = true;
  set_attributes();
}

void opened_recording::leave_group() {
  if (!facts().choice.how.read_group) return;
  facts().choice.how.read_group = false;
  attributes_ = {perf_events::sampling_attribute(facts().choice.event, facts().choice.how)};
  facts().choice.attribute = attributes_.front();
  facts().warnings.push_back(
      {"group-not-counted",
       "the target has too many threads for a group of events per thread, so the "
       "events are not counted with the samples; sample whole CPUs (-a)"});
}

void opened_recording::end_command_of_target() {
  if (prepared_->command) facts().end.target_status = end_command(*prepared_->command, *watch_);
}

void opened_recording::close() {
  end_command_of_target();
  files_.directory().commit();  // the recording may have ended before it was attached
  facts().files.push_back({"samples.perf", "perf-pipe", files_.samples().size_bytes()});
  if (runtimes_) {
    if (auto file = runtimes_->finish()) facts().files.push_back(*file);
    const auto& warnings = runtimes_->warnings();
    facts().warnings.insert(facts().warnings.end(), warnings.begin(), warnings.end());
  }
  if (python_) {
    facts().files.push_back(python_->finish());
    const auto& warnings = python_->warnings();
    facts().warnings.insert(facts().warnings.end(), warnings.begin(), warnings.end());
  }
  files_.close(facts(), [this] { return watch_->hurried(); });
}

void opened_recording::close_incomplete() {
  facts().counts = drain_->counts();
  end_command_of_target();
  files_.close_incomplete(facts());
}

}  // namespace stallscope::collect
