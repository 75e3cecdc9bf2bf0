#include "python_frames/frame_helper.hpp"

#include <unistd.h>

#include "base/clock.hpp"
#include "reader_process/short_slice.hpp"

namespace stallscope::python_frames {
namespace {

constexpr const char* helper_name = "stallscope-py";
constexpr std::chrono::milliseconds longest_wait{100};
constexpr std::chrono::milliseconds wait_for_room{2};
// Lines that did not fit into the channel. Beyond the limit, samples get late.
constexpr std::size_t max_waiting_bytes = std::size_t{16} << 20U;
// A read of memory takes microseconds, a search milliseconds. A slow disk may take longer.
constexpr std::uint64_t longest_read_ns = 700'000'000;
// A helper that waits for a CPU is late, but not blocked.
constexpr std::uint64_t longest_turn_ns = 10'000'000'000;

}  // namespace

frame_helper::frame_helper(const helper_options& options, watch_shared& shared)
    : child_{{.name = helper_name},
             [this, &options, &shared] { serve_frames(options, *channel_, shared); }} {}

void frame_helper::take_text(std::string& lines) {
  if (!channel_->take_text(lines)) child_.end({});
}

std::optional<frame_helper::fault> frame_helper::check(std::uint64_t now_ns) {
  const auto& activity = channel_->activity();
  const pid_t process = activity.pid.load(std::memory_order_acquire);
  if (!child_.running()) return fault{process, true};
  const auto since_ns = activity.since_ns.load(std::memory_order_relaxed);
  if (process == 0 || now_ns < since_ns + longest_read_ns) return std::nullopt;
  const bool on_cpu = child_.state() == 'R';
  if (on_cpu && now_ns < since_ns + longest_turn_ns) return std::nullopt;
  if (activity.pid.load() != process || activity.since_ns.load() != since_ns) return std::nullopt;
  return fault{process, false};
}

void serve_frames(const helper_options& options, reader_channel& channel, watch_shared& shared) {
  if (options.cpu >= 0) reader_process::move_to_cpu(options.cpu);
  reader_process::request_short_slice();
  process_watch watch{options.proc, options.position, channel.activity(), shared};
  const pid_t parent = ::getppid();
  std::string lines;
  bool idle = false;
  while (!channel.stopped() && !(idle && ::getppid() != parent)) {
    idle = true;
    while (const auto notice = channel.take()) {
      idle = false;
      if (notice->tid == 0) {
        watch.forget(notice->pid);
      } else {
        watch.note(*notice);
      }
    }
    if (lines.size() < max_waiting_bytes) watch.read_noted(lines);
    channel.put_lines(lines);
    channel.publish(watch.counts(), watch.any_read());
    channel.wait(lines.empty() ? longest_wait : wait_for_room);
  }
}

}  // namespace stallscope::python_frames
