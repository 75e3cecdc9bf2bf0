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

}  // namespace

frame_helper::frame_helper(const helper_options& options, watch_shared& shared)
    : child_{{.name = helper_name},
             [this, &options, &shared] { serve_frames(options, *channel_, shared); }} {}

void frame_helper::take_text(std::string& lines) {
  if (!channel_->take_text(lines)) child_.end({});
}

std::optional<reader_process::helper_fault> frame_helper::check(std::uint64_t now_ns) {
  return reader_process::fault_of(child_, channel_->activity(), now_ns);
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
