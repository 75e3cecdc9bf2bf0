#include "count/count_session.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"
#include "collect/command_end.hpp"
#include "collect/refusal.hpp"
#include "collect/target.hpp"
#include "count/judgement.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::count {
namespace {

constexpr const char* document_name = "recording.json";
constexpr const char* plan_name = "plan.json";
constexpr const char* log_name = "counters.jsonl";
// A limit of the output's size: windows become longer to stay below it.
constexpr double max_lines_per_s = 10'000;

void check_threads(const procfs& proc, std::span<const pid_t> tids) {
  for (const pid_t tid : tids) {
    if (proc.status(tid)) continue;
    throw failure{exit_code::target_failed, "there is no thread " + std::to_string(tid),
                  "list the threads of a process with ps -L -p PID"};
  }
}

}  // namespace

count_session::count_session(const count_options& options, collect::reporter& report)
    : report_{&report}, watch_{options.control_fd, report} {
  facts_.options = options;
}

exit_code count_session::run(const sigset_t& child_mask) {
  prepare(child_mask);
  open_output();
  try {
    const std::string reason = wait_for_enable();
    if (reason.empty()) {
      attach();
      announce();
      count();
    } else {
      finish(reason);
    }
    report_->finished(numbers(), exit_code::done, facts_.end.reason, facts_.warnings);
    return exit_code::done;
  } catch (const std::system_error& error) {
    return stop_early(error);
  }
}

void count_session::prepare(const sigset_t& child_mask) {
  const auto& options = facts_.options;
  const collect::inherited_state inherited{child_mask, collect::descriptor_limit()};
  descriptor_limit_ = collect::raise_descriptor_limit();
  plan_text_ = read_plan_file(options.plan);
  facts_.plan = parse_plan(plan_text_, options.plan);
  facts_.host = collect::describe_host();
  find_target();
  facts_.choice = choose_groups(facts_.plan, place_of_trial());
  facts_.warnings = facts_.choice.warnings;
  if (options.target == count_target::command)
    command_ = std::make_unique<collect::held_command>(options.command, inherited);
}

void count_session::find_target() {
  const auto& options = facts_.options;
  collect::check_processes(proc_, options.pids);
  check_threads(proc_, options.tids);
  if (options.target == count_target::cgroup) target_.cgroup = collect::find_cgroup(options.cgroup);
  target_.cpus = collect::usable_cpus(options.cpus);
  facts_.cpus = perf_events::format_cpu_list(target_.cpus);
  facts_.pids = options.pids;
  for (const pid_t tid : options.tids) {
    const auto status = proc_.status(tid);
    if (status) facts_.pids.push_back(status->tgid);
  }
}

trial_place count_session::place_of_trial() const {
  const auto& options = facts_.options;
  trial_place trial;
  trial.user_only = options.user_only;
  const bool whole_cpus =
      options.target == count_target::cpus || options.target == count_target::cgroup;
  trial.place = whole_cpus ? perf_events::event_place{-1, target_.cpus.front()}
                           : perf_events::event_place{0, -1};
  trial.how.inherit = options.target == count_target::command ||
                      (options.target == count_target::processes && !options.per_thread);
  trial.how.enable_on_exec = options.target == count_target::command;
  return trial;
}

void count_session::open_output() {
  output_.emplace(facts_.options.directory, facts_.options.force);
  attachment_.emplace(proc_, facts_.options, facts_.choice, descriptor_limit_);
  facts_.mode = attachment_->mode();
  facts_.start = {monotonic_ns(), realtime_ns()};
  try {
    write_document(false);
    output_->reserve(document_name);
    output_->replace(plan_name, plan_text_);
    log_.emplace(output_->create(log_name));
  } catch (const std::system_error& error) {
    throw failure{exit_code::unable, std::string{"the recording cannot start: "} + error.what(),
                  "free disk space, or name another directory with -o"};
  }
}

std::string count_session::wait_for_enable() {
  if (!facts_.options.start_disabled) return {};
  report_->ready();
  return watch_.wait_for_enable().value_or("");
}

void count_session::attach() {
  if (command_) {
    target_.command = command_->pid();
    facts_.pids = {command_->pid()};
    watch_.watch_process(command_->pid());
  }
  for (const pid_t pid : facts_.options.pids) watch_.watch_process(pid);
  for (const pid_t tid : facts_.options.tids) watch_.watch_process(tid);
  attachment_->attach(target_);
  facts_.members = attachment_->table().members();
  facts_.descriptors = attachment_->table().descriptors();
  choose_window();
  facts_.start = {monotonic_ns(), realtime_ns()};
  log_start start{{}, attachment_->scope_name(), facts_.window_ns, facts_.start.monotonic_ns};
  for (std::size_t i = 0; i < facts_.choice.groups.size(); ++i) {
    logged_group group{i, {}};
    for (const auto event : facts_.choice.groups[i].events)
      group.events.push_back(facts_.plan.events[event].name);
    start.groups.push_back(std::move(group));
  }
  log_->begin(start);
  if (command_) command_->release();
}

void count_session::choose_window() {
  const auto lines =
      static_cast<double>(attachment_->table().scopes() * facts_.choice.groups.size());
  const auto requested = static_cast<double>(facts_.options.window_ms) * 1e6;
  const auto shortest = lines / max_lines_per_s * 1e9;
  facts_.window_ns = static_cast<std::uint64_t>(std::max(requested, shortest));
  if (shortest <= requested) return;
  facts_.warnings.push_back(
      {"window-lengthened",
       "the window is lengthened to " + std::to_string(facts_.window_ns / 1'000'000) +
           " ms, because it has " + std::to_string(static_cast<std::uint64_t>(lines)) +
           " lines: one per group and CPU or thread"});
}

void count_session::announce() {
  auto& late = attachment_->warnings();
  facts_.warnings.insert(facts_.warnings.end(), late.begin(), late.end());
  late.clear();
  write_document(false);
  output_->reserve(document_name);
  output_->commit();
  std::size_t events = 0;
  for (const auto& group : facts_.choice.groups) events += group.events.size();
  report_->counting({facts_.mode,
                     output_->path(),
                     {facts_.pids.begin(), facts_.pids.end()},
                     events,
                     facts_.choice.groups.size(),
                     facts_.warnings});
}

void count_session::count() {
  watch_.set_duration(facts_.options.duration_s);
  auto next = monotonic_ns() + facts_.window_ns;
  std::optional<std::string> reason;
  while (!reason) {
    watch_.wake_at(next);
    reason = watch_.wait();
    const auto now = monotonic_ns();
    if (reason || now < next) continue;
    read_window();
    report_->progress(numbers());
    const auto passed = (now - next) / facts_.window_ns;
    facts_.missed_windows += passed;
    next += (passed + 1) * facts_.window_ns;
  }
  finish(*reason);
}

void count_session::read_window() {
  attachment_->follow_threads(facts_.windows, *log_);
  attachment_->table().read_all(facts_.windows, *log_);
  log_->flush();
  ++facts_.windows;
}

void count_session::finish(const std::string& reason) {
  facts_.end.reason = reason;
  if (facts_.start.monotonic_ns != 0 && attachment_->table().members() != 0) {
    read_window();
    judge_groups();
  }
  facts_.end.monotonic_ns = monotonic_ns();
  if (command_) facts_.end.target_status = collect::end_command(*command_, watch_);
  close_files();
}

void count_session::judge_groups() {
  const auto& table = attachment_->table();
  auto judgement = judge_counting(facts_.plan, facts_.choice, table.totals());
  facts_.never_ran = std::move(judgement.never_ran);
  facts_.unverified_zero = std::move(judgement.unverified_zero);
  for (const auto* warnings : {&attachment_->warnings(), &judgement.warnings})
    facts_.warnings.insert(facts_.warnings.end(), warnings->begin(), warnings->end());
  for (const auto& [error, times] : table.failed_reads()) {
    facts_.warnings.push_back(
        {"reads-refused", std::to_string(times) + " reads of groups failed (" +
                              collect::error_text(error) + "): their windows are missing"});
  }
}

void count_session::close_files() {
  output_->commit();  // the counting may have ended before announce()
  facts_.files = {{log_name, "jsonl", log_->size_bytes()},
                  {plan_name, "json", static_cast<std::uint64_t>(plan_text_.size())}};
  write_document(true);
}

void count_session::write_document(bool complete) {
  facts_.complete = complete;
  output_->replace(document_name, to_json(facts_));
}

collect::progress_numbers count_session::numbers() const {
  const auto end = facts_.end.monotonic_ns != 0 ? facts_.end.monotonic_ns : monotonic_ns();
  return {0, 0, log_->size_bytes(), static_cast<double>(end - facts_.start.monotonic_ns) / 1e9,
          facts_.windows};
}

exit_code count_session::stop_early(const std::system_error& error) {
  const int number = error.code().value();
  const bool full = number == ENOSPC || number == EDQUOT;
  facts_.end.reason = full ? "disk full" : "write failed";
  facts_.end.monotonic_ns = monotonic_ns();
  facts_.files = {{log_name, "jsonl", log_->size_bytes()}};
  if (command_) facts_.end.target_status = collect::end_command(*command_, watch_);
  output_->commit();
  try {
    write_document(false);
  } catch (const std::system_error&) {
    // The document written at the start remains. It marks the recording as incomplete.
  }
  report_->finished(numbers(), exit_code::unwritable, facts_.end.reason, facts_.warnings);
  report_->error({exit_code::unwritable, "the counting stopped early: " + std::string{error.what()},
                  full
                      ? "make room on the disk or name another directory with -o; the data written "
                        "so far is readable"
                      : "check the file system; the data written so far is readable"});
  return exit_code::unwritable;
}

}  // namespace stallscope::count
