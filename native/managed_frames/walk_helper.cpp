#include "managed_frames/walk_helper.hpp"

#include <sched.h>
#include <unistd.h>

#include <utility>

#include "reader_process/short_slice.hpp"

namespace stallscope::managed_frames {
namespace {

constexpr const char* helper_name = "stallscope-rt";
constexpr std::chrono::milliseconds longest_wait{100};
constexpr std::chrono::milliseconds wait_for_room{2};

}  // namespace

walk_helper::walk_helper(const helper_options& options, watch_shared& shared)
    : child_{{.name = helper_name},
             [this, &options, &shared] { serve_samples(options, *channel_, shared); }} {}

void walk_helper::wake() noexcept {
  const int cpu = ::sched_getcpu();
  if (cpu >= 0 && std::exchange(cpu_, cpu) != cpu && child_.pid() != 0)
    reader_process::move_to_cpu(cpu, child_.pid());
  channel_->wake();
}

void walk_helper::take_text(std::string& lines) {
  if (!channel_->lines.take(lines)) child_.end({});
}

std::optional<reader_process::helper_fault> walk_helper::check(std::uint64_t now_ns) {
  return reader_process::fault_of(child_, channel_->activity, now_ns);
}

void serve_samples(const helper_options& options, sample_channel& channel, watch_shared& shared) {
  reader_process::request_short_slice();
  runtime_watch watch{options.proc, options.kinds, options.position, channel.activity, shared};
  const pid_t parent = ::getppid();
  std::string lines;
  bool idle = false;
  while (!channel.stopped() && !(idle && ::getppid() != parent)) {
    idle = true;
    while (const auto* slot = channel.front()) {
      idle = false;
      if (slot->tid == 0) {
        watch.forget(slot->pid);
      } else if (lines.size() < options.max_waiting_bytes) {
        watch.read(slot->sample(), lines);
      } else {
        channel.count_dropped();
      }
      channel.pop();
      if (channel.stopped()) break;
    }
    channel.lines.put(lines);
    channel.publish(watch.any_read() ? watch.shortest_age_ns() : 0);
    channel.wait(lines.empty() ? longest_wait : wait_for_room);
  }
}

}  // namespace stallscope::managed_frames
