#include "collect/session.hpp"

#include <string>
#include <system_error>

#include "base/clock.hpp"
#include "collect/early_end.hpp"
#include "collect/recording.hpp"

namespace stallscope::collect {
namespace {

exit_code report_result(const opened_recording& opened, reporter& report) {
  const auto& facts = opened.facts();
  if (facts.flight && !keeps_flight(facts)) {
    report.finished(numbers_of_recording(opened), exit_code::done, facts.end.reason,
                    facts.warnings);
    return exit_code::done;
  }
  const auto samples = facts.counts.samples + facts.counts.wait_samples + facts.counts.switches;
  const auto lost = facts.lost_samples;
  // A target that waits all the time has no samples and no switches. Records of waits are also
  // those of other threads, which may switch at any rate; where they were lost, states are unknown.
  const bool good = facts.options.waits || (samples > 0 && lost <= samples);
  const auto code = good ? exit_code::done : exit_code::unreadable;
  report.finished(numbers_of_recording(opened), code, facts.end.reason, facts.warnings);
  if (samples == 0 && !good) {
    report.error({exit_code::unreadable,
                  "the recording is empty: the target used no CPU time that could be sampled",
                  "record for longer, or while it is busy"});
  } else if (!good) {
    report.error(
        {exit_code::unreadable,
         std::to_string(lost) + " samples were lost and only " + std::to_string(samples) + " kept",
         "request fewer samples (-F) or larger rings (--ring-kib)"});
  }
  return code;
}

exit_code stop_early(opened_recording& opened, reporter& report, const std::system_error& error) {
  const auto end = early_end_of(error, "the recording");
  auto& facts = opened.facts();
  facts.end.reason = end.reason;
  facts.end.monotonic_ns = monotonic_ns();
  opened.close_incomplete();
  report.finished(numbers_of_recording(opened), end.error.code(), end.reason, facts.warnings);
  report.error(end.error);
  return end.error.code();
}

// Returns the reason if the recording ends before it is enabled.
std::optional<std::string> wait_for_start(const collect_options& options, end_watch& watch,
                                          reporter& report) {
  if (!options.start_disabled) return std::nullopt;
  report.ready();
  return watch.wait_for_enable();
}

}  // namespace

exit_code record(const collect_options& options, reporter& report, const sigset_t& child_mask) {
  end_watch watch{options.control_fd, report};
  auto prepared = prepare_recording(options, child_mask);
  opened_recording opened{prepared, watch};
  try {
    if (auto reason = wait_for_start(options, watch, report)) {
      opened.facts().end.reason = *reason;
      opened.facts().end.monotonic_ns = monotonic_ns();
      opened.close();
    } else {
      opened.note_start();
      attached_recording attached{opened};
      recording{attached, report}.run();
    }
    return report_result(opened, report);
  } catch (const std::system_error& error) {
    return stop_early(opened, report, error);
  }
}

}  // namespace stallscope::collect
