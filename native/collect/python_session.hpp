// The Python frames of a recording: decides whether samples must wake the collector for them,
// starts the reading, and selects how the drain waits. The rest of the collector knows nothing else
// about Python frames. All functions belong to the drain's thread.
//
//   const bool wakes = python_session::wakes_per_sample(targets, options);
//   python_session python{proc, rings, output, wakes};
//   python.start(filter);                          // when the events are open
//   while (recording) python.pass();               // before each pass of the drain
//   watch.follow_rings(python.drain_follows_rings());
//   facts.files.push_back(python.finish());
#pragma once

#include <string_view>

#include "base/procfs.hpp"
#include "collect/document_parts.hpp"
#include "collect/options.hpp"
#include "collect/output_directory.hpp"
#include "collect/process_filter.hpp"
#include "collect/python_recording.hpp"
#include "collect/target_reader.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

class python_session {
 public:
  // Whether a sample must wake the collector at once, because frames may have to be read: always,
  // unless the targets are processes and none of them runs CPython.
  static bool wakes_per_sample(target_reader& targets, const collect_options& options);

  // Creates python.jsonl. The rings must outlive the session. Throws std::system_error.
  python_session(const procfs& proc, const perf_events::ring_set& rings, output_directory& output,
                 bool wake_per_sample);

  // Call when the events are open: no frames are read for earlier samples. With a filter, which
  // belongs to the drain's thread, there are no reading threads. The filter may be null.
  void start(const process_filter* filter);
  // Call before each pass of the drain. Throws std::system_error if the file cannot be written.
  void pass() { recording_.pass(); }
  // Whether the drain waits for ring data. Otherwise samples wake the reading threads, or no
  // process is read yet, and the drain wakes by time.
  [[nodiscard]] bool drain_follows_rings() const {
    return !wake_per_sample_ || recording_.waits_for_samples();
  }
  // See sample_file. Call append() only for lines that were diverted.
  void divert(append_sink* sink) { recording_.divert(sink); }
  void append(std::string_view lines) { recording_.append(lines); }
  // Processes that were left out, and helpers that did not end.
  [[nodiscard]] const std::vector<warning>& warnings() const { return recording_.warnings(); }
  // Ends the reading and returns the file.
  file_entry finish();

 private:
  bool wake_per_sample_;
  const process_filter* filter_ = nullptr;
  python_recording recording_;
};

}  // namespace stallscope::collect
