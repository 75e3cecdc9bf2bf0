#include "count/session.hpp"

#include <optional>
#include <string>
#include <system_error>

#include "collect/early_end.hpp"
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
  const auto end = collect::early_end_of(error, "the counting");
  auto& facts = opened.facts();
  facts.end.reason = end.reason;
  opened.close_incomplete(watch);
  report.finished(opened.numbers(), end.error.code(), end.reason, facts.warnings);
  report.error(end.error);
  return end.error.code();
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
