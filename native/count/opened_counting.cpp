#include "count/opened_counting.hpp"

#include <system_error>

#include "base/clock.hpp"
#include "collect/command_end.hpp"
#include "collect/early_end.hpp"
#include "count/attachment.hpp"

namespace stallscope::count {
namespace {

constexpr const char* document_name = "recording.json";
constexpr const char* plan_name = "plan.json";
constexpr const char* log_name = "counters.jsonl";

}  // namespace

opened_counting::opened_counting(prepared_counting& prepared)
    : prepared_{&prepared},
      output_{prepared.facts.options.directory, prepared.facts.options.force} {
  facts().mode = mode_of(facts().options);
  facts().start = {monotonic_ns(), realtime_ns()};
  try {
    write_document(false);
    output_.reserve(document_name);
    output_.replace(plan_name, prepared.plan_text);
    log_.emplace(output_.create(log_name));
  } catch (const std::system_error& error) {
    throw collect::failed_start(error);
  }
}

collect::progress_numbers opened_counting::numbers() const {
  const auto end = facts().end.monotonic_ns != 0 ? facts().end.monotonic_ns : monotonic_ns();
  return {0, 0, log_->size_bytes(), static_cast<double>(end - facts().start.monotonic_ns) / 1e9,
          facts().windows};
}

void opened_counting::commit() {
  write_document(false);
  output_.reserve(document_name);
  output_.commit();
}

void opened_counting::close(collect::end_watch& watch) {
  facts().end.monotonic_ns = monotonic_ns();
  end_command(watch);
  output_.commit();  // the counting may have ended before it was attached
  facts().files = {{log_name, "jsonl", log_->size_bytes()},
                   {plan_name, "json", static_cast<std::uint64_t>(prepared_->plan_text.size())}};
  write_document(true);
}

void opened_counting::close_incomplete(collect::end_watch& watch) {
  facts().end.monotonic_ns = monotonic_ns();
  facts().files = {{log_name, "jsonl", log_->size_bytes()}};
  end_command(watch);
  output_.commit();
  try {
    write_document(false);
  } catch (const std::system_error&) {
    // The document written at the start remains. It marks the recording as incomplete.
  }
}

void opened_counting::write_document(bool complete) {
  facts().complete = complete;
  output_.replace(document_name, to_json(facts()));
}

void opened_counting::end_command(collect::end_watch& watch) {
  if (auto& command = prepared_->command)
    facts().end.target_status = collect::end_command(*command, watch);
}

}  // namespace stallscope::count
