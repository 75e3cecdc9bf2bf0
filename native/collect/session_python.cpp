// How a session has the frames of CPython read beside its samples.
#include <algorithm>

#include "collect/session.hpp"
#include "python_frames/interpreter.hpp"

namespace stallscope::collect {

// A sample wakes the collector at once where frames may have to be read: always but for processes
// of which none is a CPython now.
void session::choose_wake_ups() {
  const auto& options = facts_.options;
  const auto is_python = [this](pid_t pid) {
    return python_frames::find_interpreter(proc_, pid).present;
  };
  facts_.choice.how.wake_each =
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

// As soon as events are open: samples before this are not read for. The filter learns in the
// drain's thread, so that no other one may ask it.
void session::start_python() {
  if (python_ && facts_.choice.how.wake_each && !filter_) python_->start_threads();
}

// Where samples wake others than the drain, or nobody yet, it goes round by the clock.
void session::follow_python() {
  watch_.follow_rings(!facts_.choice.how.wake_each || python_->waits_for_samples());
}

void session::finish_python() {
  if (!python_) return;
  python_->finish();
  facts_.files.push_back({"python.jsonl", "python-frames", python_->size_bytes()});
}

}  // namespace stallscope::collect
