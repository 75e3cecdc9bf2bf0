// How a session takes user stacks.
#include <cerrno>

#include "stallscope/collect/refusal.hpp"
#include "stallscope/collect/session.hpp"
#include "stallscope/perf_events/cpu_list.hpp"

namespace stallscope {

void session::choose_stacks() {
  const auto& options = facts_.options;
  auto& stacks = facts_.stacks;
  if (options.stacks != stack_wish::copies) {
    stacks.why =
        options.stacks == stack_wish::automatic ? "copies were not asked for" : "asked for";
    return;
  }
  const auto copying = with_copies(facts_.choice.how, options.stack_bytes);
  if (const int error = try_sampling(facts_.choice, copying, options); error != 0) {
    throw failure{exit_code::unable,
                  "stacks cannot be copied here: perf_event_open gives " + error_text(error),
                  "ask for stacks by frame pointers (--stacks fp), or leave the choice (auto)"};
  }
  facts_.choice.how = copying;
  stacks.kind = stack_kind::copies;
  stacks.why = "asked for";
  check_space();
}

void session::check_space() {
  const auto free_bytes = output_->free_bytes();
  const auto cpus = parse_cpu_list(facts_.cpus).size();
  if (!free_bytes) return;
  if (auto warned = space_warning(facts_.choice.how, cpus, facts_.options.duration_s, *free_bytes))
    facts_.warnings.push_back(std::move(*warned));
}

}  // namespace stallscope
