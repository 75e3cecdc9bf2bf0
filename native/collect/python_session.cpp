#include "collect/python_session.hpp"

#include <algorithm>

namespace stallscope::collect {

bool python_session::wakes_per_sample(target_reader& targets, const collect_options& options) {
  const auto is_python = [&targets](pid_t pid) { return targets.runs_python(pid); };
  return options.python && (options.kind != target_kind::process ||
                            std::any_of(options.pids.begin(), options.pids.end(), is_python));
}

python_session::python_session(const procfs& proc, const perf_events::ring_set& rings,
                               output_directory& output, bool wake_per_sample)
    : wake_per_sample_{wake_per_sample},
      recording_{proc, rings, sample_file{output.create("python.jsonl")},
                 [this](const perf_events::record_view& record) {
                   return filter_ == nullptr || filter_->keep(record);
                 }} {}

void python_session::start(const process_filter* filter) {
  filter_ = filter;
  if (wake_per_sample_ && filter == nullptr) {
    recording_.start_threads();
  } else {
    recording_.start_single();
  }
}

file_entry python_session::finish() {
  recording_.finish();
  return {"python.jsonl", "python-frames", recording_.size_bytes()};
}

}  // namespace stallscope::collect
