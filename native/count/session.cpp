#include "count/session.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "count/counting.hpp"

namespace stallscope::count {
namespace {

// Returns the reason if the counting ends before it is enabled.
std::optional<std::string> wait_for_start(const count_options& options, collect::end_watch& watch,
                                          collect::reporter& report) {
  if (!options.start_disabled) return std::nullopt;
  report.ready();
  return watch.wait_for_enable();
}

exit_code stop_early(opened_counting& opened, collect::end_watch& watch, collect::reporter& report,
                     const std::system_error& error) {
  const int number = error.code().value();
  const bool full = number == ENOSPC || number == EDQUOT;
  auto& facts = opened.facts();
  facts.end.reason = full ? "disk full" : "write failed";
  opened.close_incomplete(watch);
  report.finished(opened.numbers(), exit_code::unwritable, facts.end.reason, facts.warnings);
  report.error({exit_code::unwritable, "the counting stopped early: " + std::string{error.what()},
                full ? "make room on the disk or name another directory with -o; the data written "
                       "so far is readable"
                     : "check the file system; the data written so far is readable"});
  return exit_code::unwritable;
}

}  // namespace

exit_code count_events(const count_options& options, collect::reporter& report,
                       const sigset_t& child_mask) {
  collect::end_watch watch{options.control_fd, report};
  auto prepared = prepare_counting(options, child_mask);
  opened_counting opened{prepared};
  try {
    if (auto reason = wait_for_start(options, watch, report)) {
      opened.facts().end.reason = *reason;
      opened.close(watch);
    } else {
      attached_counting attached{opened, watch};
      counting{attached, watch, report}.run();
    }
    report.finished(opened.numbers(), exit_code::done, opened.facts().end.reason,
                    opened.facts().warnings);
    return exit_code::done;
  } catch (const std::system_error& error) {
    return stop_early(opened, watch, report, error);
  }
}

}  // namespace stallscope::count
