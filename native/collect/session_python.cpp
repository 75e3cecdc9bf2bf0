// How a session reads CPython frames during sampling.
#include <algorithm>

#include "collect/session.hpp"
#include "python_frames/interpreter.hpp"

namespace stallscope::collect {

// A sample wakes the collector at once if frames may have to be read: always, unless the targets
// are processes and none of them runs CPython.
void session::choose_wake_ups() {
  const auto& options = facts_.options;
  const auto is_python = [this](pid_t pid) {
    python_frames::read_budget budget{{}};
    return python_frames::find_interpreter(proc_, pid, budget).present;
  };
  facts_.choice.how.wake_per_sample =
      options.python && (options.kind != target_kind::process ||
                         std::any_of(options.pids.begin(), options.pids.end(), is_python));
}

void session::begin_python() {
  if (!facts_.options.python) return;
  python_ = std::make_unique<python_recording>(
      proc_, rings_, sample_file{output_->create("python.jsonl")},
      [this](const perf_events::record_view& record) { return !filter_ || filter_->keep(record); });
  follow_python();
}

// Called when the events are open. No frames are read for earlier samples. With a filter there are
// no reading threads, because the filter belongs to the drain's thread.
void session::start_python() {
  if (python_ && facts_.choice.how.wake_per_sample && !filter_) python_->start_threads();
}

// If samples wake the reading threads, or no process is read yet, the drain wakes by time.
void session::follow_python() {
  watch_.follow_rings(!facts_.choice.how.wake_per_sample || python_->waits_for_samples());
}

void session::finish_python() {
  if (!python_) return;
  python_->finish();
  facts_.files.push_back({"python.jsonl", "python-frames", python_->size_bytes()});
}

}  // namespace stallscope::collect
