#include "collect/session.hpp"

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"
#include "collect/command_end.hpp"
#include "collect/group_choice.hpp"
#include "collect/kernel_map.hpp"
#include "collect/refusal.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {
namespace {

// The incomplete last period of a thread must not cause a warning.
constexpr double fewest_periods_compared = 200;
constexpr double most_missed_share = 0.02;

}  // namespace

session::session(const collect_options& options, reporter& report)
    : report_{&report}, watch_{options.control_fd} {
  facts_.options = options;
}

exit_code session::run(const sigset_t& child_mask) {
  prepare(child_mask);
  open_output();
  try {
    std::string reason;
    if (facts_.options.start_disabled) {
      report_->ready();
      reason = watch_.wait_for_enable().value_or("");
    }
    if (reason.empty()) {
      note_start();
      attach();
      if (command_) command_->release();
      announce();
      record();
    } else {
      finish(reason);
    }
    return report_result();
  } catch (const std::system_error& error) {
    return stop_early(error);
  }
}

void session::prepare(const sigset_t& child_mask) {
  const auto& options = facts_.options;
  inherited_state inherited{child_mask, {}};
  ::getrlimit(RLIMIT_NOFILE, &inherited.descriptors);
  descriptor_limit_ = raise_descriptor_limit();
  facts_.host = describe_host();
  if (options.kind == target_kind::process) check_processes(proc_, options.pids);
  if (options.kind == target_kind::cgroup) cgroup_ = find_cgroup(options.cgroup);
  const auto cpus = usable_cpus(options.cpus);
  facts_.cpus = perf_events::format_cpu_list(cpus);
  facts_.choice = choose_event(options);
  choose_group(facts_.choice, options);
  facts_.warnings = facts_.choice.warnings;
  if (options.kind == target_kind::command)
    command_ = std::make_unique<held_command>(options.command, inherited);
}

void session::note_start() {
  facts_.start_monotonic_ns = monotonic_ns();
  facts_.start_realtime_ns = realtime_ns();
}

void session::open_output() {
  output_.emplace(facts_.options.directory, facts_.options.force);
  choose_stacks();
  note_start();
  facts_.pids = facts_.options.pids;
  try {
    write_document(false);
    output_->reserve("recording.json");
    file_.emplace(output_->create("samples.perf"));
    open_rings_for_cpus();
    choose_wake_ups();
    set_attributes();
    if (has_single_event()) write_header();  // with several events, the ids are not known yet
    begin_python();
  } catch (const std::system_error& error) {
    throw failure{exit_code::unable, std::string{"the recording cannot start: "} + error.what(),
                  "free disk space, or name another directory with -o"};
  }
  drain_.emplace(rings_.views(), *file_);
}

bool session::has_single_event() const {
  return attributes_.size() == 1 && !facts_.choice.how.read_group;
}

void session::write_header() {
  std::vector<event_header::kind> kinds;
  for (std::uint32_t i = 0; i < attributes_.size(); ++i) {
    kinds.push_back({attributes_[i], {}});
    if (!has_single_event()) kinds.back().ids = events_->ids_of(i);
  }
  const auto group = attributes_of(facts_.choice);
  const auto names = names_of_others(facts_.choice);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& attribute =
        i < group.leading.size() ? group.leading[i] : group.following[i - group.leading.size()];
    kinds.push_back({attribute, events_->ids_of_other(i), names[i]});
  }
  record_buffer header;
  put_header(header,
             {kinds, facts_.choice.event.name, facts_.options.arguments, facts_.start_monotonic_ns,
              facts_.start_realtime_ns},
             facts_.host);
  if (const auto layout = read_kernel_layout()) {
    put_kernel_map(header, *layout);
    put_kernel_modules(header);
  } else if (facts_.choice.attribute.exclude_kernel == 0) {
    facts_.warnings.push_back(no_kernel_layout());
  }
  put_kernel_build_id(header);
  file_->append(header.bytes());
}

void session::announce() {
  if (facts_.attach.descriptors == 0) {
    throw failure{exit_code::target_failed, "the target ended before it could be sampled",
                  "start it under the collector: stallscope-collect -o DIR -- COMMAND"};
  }
  write_document(false);
  output_->reserve("recording.json");
  output_->commit();
  report_->started({facts_.attach.mode,
                    facts_.choice.event.name,
                    output_->path(),
                    {facts_.pids.begin(), facts_.pids.end()},
                    name_of(facts_.stacks.kind),
                    describe(facts_.stacks, facts_.options.stack_bytes),
                    facts_.warnings});
}

void session::record() {
  if (command_) watch_.watch_process(command_->pid());
  watch_.set_duration(facts_.options.duration_s);
  std::optional<std::string> reason;
  auto next_progress_ns = monotonic_ns() + 1'000'000'000;
  while (!reason) {
    reason = watch_.wait();
    if (python_) python_->pass();
    drain_->pass();
    if (python_) follow_python();
    facts_.counts = drain_->counts();
    if (monotonic_ns() < next_progress_ns) continue;
    report_->progress(numbers());
    next_progress_ns = monotonic_ns() + 1'000'000'000;
  }
  finish(*reason);
}

void session::finish(const std::string& reason) {
  facts_.end.reason = reason;
  facts_.end.monotonic_ns = monotonic_ns();
  if (events_) {
    events_->disable_all();
    drain_->pass();
    drain_->pass();  // applies what the scan of the first pass detected
    facts_.counts = drain_->counts();
    facts_.counter = events_->read_all();
    facts_.lost_samples =
        std::max(facts_.counter ? facts_.counter->lost : 0, facts_.counts.lost_samples);
    facts_.attach.duplicates_closed = threads_ ? threads_->duplicates_closed() : 0;
  }
  check_against_counter();
  check_counter_was_ours();
  check_programs_of_others();
  end_command();
  close_files();
}

// If event and counter both count time, samples and losses must add up to the counter.
void session::check_against_counter() {
  const auto& attribute = facts_.choice.attribute;
  if (!facts_.counter || !facts_.choice.event.counts_ns || attribute.exclude_kernel != 0 ||
      attribute.exclude_user != 0)
    return;
  const auto period = facts_.choice.how.period != 0
                          ? facts_.choice.how.period
                          : 1'000'000'000 / facts_.choice.how.frequency_hz;
  const auto sampled = static_cast<double>(sampled_periods(facts_) + facts_.lost_samples * period);
  const auto counted = static_cast<double>(facts_.counter->value);
  if (counted < fewest_periods_compared * static_cast<double>(period) ||
      sampled > (1 - most_missed_share) * counted)
    return;
  facts_.warnings.push_back(
      {"samples-short-of-counter", "the samples account for only " +
                                       std::to_string(static_cast<int>(100 * sampled / counted)) +
                                       " % of the counted CPU time: the timer fired late (a busy "
                                       "hypervisor, disabled interrupts), or threads lived "
                                       "for about one sampling period"});
}

// If other programs use the CPU's counters, this event was counted for a part of the time only. The
// events of a thread are enabled on all CPUs, but only one of them runs at a time.
void session::check_counter_was_ours() {
  if (!facts_.counter || facts_.choice.attribute.type == PERF_TYPE_SOFTWARE) return;
  const bool of_threads = threads_ || command_;
  const double places = of_threads ? static_cast<double>(rings_.rings.size()) : 1;
  const auto enabled = static_cast<double>(facts_.counter->enabled_ns);
  const auto running = places * static_cast<double>(facts_.counter->running_ns);
  if (enabled == 0 || running >= (1 - most_missed_share) * enabled) return;
  facts_.warnings.push_back(
      {"counter-shared", "the event was counted for " +
                             std::to_string(static_cast<int>(100 * running / enabled)) +
                             " % of the time, because other programs use the CPU's counters: "
                             "shares refer to that part"});
}

void session::check_programs_of_others() {
  if (!drain_ || drain_->execs().programs().empty()) return;
  std::string names;
  for (const auto& name : drain_->execs().programs()) names += (names.empty() ? "" : ", ") + name;
  facts_.warnings.push_back({"programs-of-others",
                             "these programs run as another user, so the samples of their process "
                             "and its children end at their start: " +
                                 names + "; as root, sample whole CPUs (-a) or a cgroup (-G)"});
}

void session::end_command() {
  if (!command_) return;
  facts_.end.target_status = collect::end_command(*command_, watch_);
}

void session::close_files() {
  output_->commit();  // the recording may have ended before announce()
  facts_.files.push_back({"samples.perf", "perf-pipe", file_->size_bytes()});
  finish_python();
  const std::string line = counter_line(facts_);
  sample_file{output_->create("counters.jsonl")}.append(std::as_bytes(std::span{line}));
  facts_.files.push_back({"counters.jsonl", "jsonl", line.size()});
  if (facts_.choice.attribute.exclude_kernel == 0) {
    keep_kernel_symbols();
  }
  write_document(true);
}

// An incomplete symbol file would resolve addresses to wrong names, so the file gets its final name
// only when it is complete.
void session::keep_kernel_symbols() {
  static constexpr const char* unfinished = ".kallsyms.new";
  try {
    const auto symbols = output_->create(unfinished);
    const auto bytes = copy_kallsyms(symbols, [this] { return watch_.hurried(); });
    if (bytes != 0) {
      output_->publish(unfinished, "kallsyms");
      facts_.files.push_back({"kallsyms", "kallsyms", bytes});
    }
  } catch (const std::system_error& error) {
    facts_.warnings.push_back(
        {"kernel-symbols-not-kept",
         std::string{"the kernel's symbols could not be kept: "} + error.what()});
  }
  output_->remove(unfinished);
}

void session::write_document(bool complete) {
  facts_.complete = complete;
  output_->replace("recording.json", to_json(facts_));
}

progress_numbers session::numbers() const {
  const auto end = facts_.end.monotonic_ns != 0 ? facts_.end.monotonic_ns : monotonic_ns();
  return {facts_.counts.samples, std::max(facts_.lost_samples, facts_.counts.lost_samples),
          file_->size_bytes(), static_cast<double>(end - facts_.start_monotonic_ns) / 1e9};
}

exit_code session::report_result() {
  const auto samples = facts_.counts.samples;
  const auto lost = facts_.lost_samples;
  const bool good = samples > 0 && lost <= samples;
  report_->finished(numbers(), good ? exit_code::done : exit_code::unreadable, facts_.end.reason,
                    facts_.warnings);
  if (samples == 0) {
    report_->error({exit_code::unreadable,
                    "the recording is empty: the target used no CPU time that could be sampled",
                    "record for longer, or while it is busy"});
  } else if (!good) {
    report_->error(
        {exit_code::unreadable,
         std::to_string(lost) + " samples were lost and only " + std::to_string(samples) + " kept",
         "request fewer samples (-F) or larger rings (--ring-kib)"});
  }
  return good ? exit_code::done : exit_code::unreadable;
}

exit_code session::stop_early(const std::system_error& error) {
  const int number = error.code().value();
  const bool full = number == ENOSPC || number == EDQUOT;
  facts_.counts = drain_->counts();
  facts_.end.reason = full ? "disk full" : "write failed";
  facts_.end.monotonic_ns = monotonic_ns();
  facts_.files = {{"samples.perf", "perf-pipe", file_->size_bytes()}};
  if (events_) events_->disable_all();
  end_command();
  output_->commit();
  try {
    write_document(false);
  } catch (const std::system_error&) {
    // The document written at the start remains. It marks the recording as incomplete.
  }
  report_->finished(numbers(), exit_code::unwritable, facts_.end.reason, facts_.warnings);
  report_->error({exit_code::unwritable,
                  "the recording stopped early: " + std::string{error.what()},
                  full ? "make room on the disk or name another directory with -o; the data "
                         "written so far is readable"
                       : "check the file system; the data written so far is readable"});
  return exit_code::unwritable;
}

}  // namespace stallscope::collect
