// A helper process that reads the Python frames of sampled threads. Reading the memory or a file of
// a process may block for any time, and even SIGKILL may not end such a read; so the collector only
// exchanges notices and lines with helpers, and abandons a helper that does not answer. Costs a
// fork, and two context switches per sample beyond the read. Belongs to a single thread, except
// note() and forget(), which the caller must serialize.
//
//   frame_helper helper{{.proc = proc, .position = {0, 1}}, *shared};
//   helper.note(sample);
//   helper.wake();
//   helper.take_text(lines);
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "python_frames/process_watch.hpp"
#include "python_frames/reader_channel.hpp"
#include "reader_process/child_process.hpp"
#include "reader_process/helper_fault.hpp"
#include "reader_process/shared_memory.hpp"

namespace stallscope::python_frames {

struct helper_options {
  procfs proc{};
  watch_index position{};
  int cpu = -1;  // the CPU of the samples; -1: any
};

class frame_helper {
 public:
  // `shared` is in memory that children inherit. Throws std::system_error.
  frame_helper(const helper_options& options, watch_shared& shared);

  // Returns false if the helper is behind and the sample is dropped.
  bool note(const sample_notice& sample) noexcept { return channel_->put(sample); }
  bool forget(pid_t pid) noexcept { return channel_->put({pid, 0, 0}); }
  void wake() noexcept { channel_->wake(); }

  // Appends the lines since the last call. Invalid positions end the helper.
  void take_text(std::string& lines);
  [[nodiscard]] bool has_much_text() const noexcept { return channel_->half_full(); }
  [[nodiscard]] read_counts counts() const noexcept { return channel_->counts(); }
  [[nodiscard]] bool reads_any() const noexcept { return channel_->reads_any(); }

  std::optional<reader_process::helper_fault> check(std::uint64_t now_ns);

  // Makes the helper finish what it reads, without waiting.
  void request_stop() noexcept { channel_->request_stop(); }
  bool wait(std::chrono::milliseconds limit) noexcept { return child_.wait(limit); }
  // Gives up the helper: kills it and returns its process, which may not end.
  reader_process::child_process take_process() noexcept { return std::move(child_); }

 private:
  reader_process::shared_memory<reader_channel> channel_;
  reader_process::child_process child_;
};

// Serves the channel until it is stopped or the parent ends: the body of a helper.
void serve_frames(const helper_options& options, reader_channel& channel, watch_shared& shared);

}  // namespace stallscope::python_frames
