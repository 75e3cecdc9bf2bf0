#include "hotspot_frames/java_threads.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "base/clock.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::hotspot_frames {
namespace {

using process_reading::memory_range;

constexpr std::uint32_t max_threads = 65'536;
constexpr std::uint64_t list_pause_ns = 100'000'000;

template <class T>
memory_range range_of(std::uint64_t address, T& value) {
  return {address, std::as_writable_bytes(std::span{&value, 1})};
}

}  // namespace

// Reads the identity of the thread with its anchor: a single call.
void java_threads::read_anchor(java_thread& thread, pid_t native_id,
                               std::uint64_t sample_ns) const {
  if (thread.anchor && thread.anchor_ns > sample_ns) return;
  frame_anchor anchor;
  std::uint64_t os_thread = 0;
  pid_t id = 0;
  const std::uint64_t address = thread.address + layout_->thread_anchor;
  const std::array<memory_range, 5> ranges{range_of(thread.address + layout_->thread_os, os_thread),
                                           range_of(thread.os_thread + layout_->os_thread_id, id),
                                           range_of(address + layout_->anchor_sp, anchor.sp),
                                           range_of(address + layout_->anchor_pc, anchor.pc),
                                           range_of(address + layout_->anchor_fp, anchor.fp)};
  thread.anchor_ns = monotonic_ns();
  thread.anchor.reset();
  if (memory_->read(ranges) && os_thread == thread.os_thread && id == native_id)
    thread.anchor = anchor;
}

void java_threads::list_threads() {
  threads_.clear();
  std::uint64_t list = 0;
  std::uint32_t length = 0;
  std::uint64_t array = 0;
  if (!memory_->read_value(layout_->thread_list, list) ||
      !memory_->read_value(list + layout_->list_length, length) || length > max_threads ||
      !memory_->read_value(list + layout_->list_threads, array))
    return;
  std::vector<std::uint64_t> threads(length);
  if (!memory_->read(array, std::as_writable_bytes(std::span{threads}))) return;
  for (const auto thread : threads) {
    std::uint64_t os_thread = 0;
    pid_t id = 0;
    if (memory_->read_value(thread + layout_->thread_os, os_thread) &&
        memory_->read_value(os_thread + layout_->os_thread_id, id))
      threads_.insert_or_assign(id, java_thread{thread, os_thread});
  }
}

std::optional<frame_anchor> java_threads::anchor_of(pid_t native_id, std::uint64_t sample_ns) {
  auto thread = threads_.find(native_id);
  if (thread != threads_.end()) read_anchor(thread->second, native_id, sample_ns);
  const auto now_ns = monotonic_ns();
  if ((thread == threads_.end() || !thread->second.anchor) && now_ns >= next_list_ns_) {
    list_threads();
    next_list_ns_ = now_ns + list_pause_ns;
    thread = threads_.find(native_id);
    if (thread != threads_.end()) read_anchor(thread->second, native_id, sample_ns);
  }
  return thread == threads_.end() ? std::nullopt : thread->second.anchor;
}

}  // namespace stallscope::hotspot_frames
