// A helper process that reads the managed frames of samples. Reading the memory or a file of a
// process may block for any time, so the collector only exchanges samples and lines with it, and
// abandons a helper that does not answer. Costs a fork, and a copy of the stack per sample. One
// thread.
//
//   walk_helper helper{{.kinds = runtime_kinds()}, *shared};
//   if (auto* slot = helper.channel().next()) { fill(*slot); helper.channel().commit(); }
//   helper.wake();
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "managed_frames/runtime_watch.hpp"
#include "managed_frames/sample_channel.hpp"
#include "reader_process/child_process.hpp"
#include "reader_process/helper_fault.hpp"
#include "reader_process/shared_memory.hpp"

namespace stallscope::managed_frames {

struct helper_options {
  procfs proc{};
  std::vector<runtime_kind> kinds{};
  runtime_watch::position position{};
  // Lines that did not fit into the channel. Beyond the limit, samples are dropped and counted,
  // because their slots are needed.
  std::size_t max_waiting_bytes = std::size_t{16} << 20U;
};

class walk_helper {
 public:
  // `shared` is in memory that children inherit. Throws std::system_error.
  walk_helper(const helper_options& options, watch_shared& shared);

  [[nodiscard]] sample_channel& channel() noexcept { return *channel_; }
  // Wakes the helper on the CPU of the caller, because a wake-up of another CPU costs more than the
  // rest of a batch, above all in a virtual machine. The scheduler places the caller.
  void wake() noexcept;
  // Appends the lines since the last call. Invalid positions end the helper.
  void take_text(std::string& lines);
  std::optional<reader_process::helper_fault> check(std::uint64_t now_ns);
  bool wait(std::chrono::milliseconds limit) noexcept { return child_.wait(limit); }
  // Gives up the helper: returns its process, which may not end.
  reader_process::child_process take_process() noexcept { return std::move(child_); }

 private:
  reader_process::shared_memory<sample_channel> channel_;
  reader_process::child_process child_;
  int cpu_ = -1;  // on which the helper may run
};

// Serves the channel until it is stopped or the parent ends: the body of a helper.
void serve_samples(const helper_options& options, sample_channel& channel, watch_shared& shared);

}  // namespace stallscope::managed_frames
