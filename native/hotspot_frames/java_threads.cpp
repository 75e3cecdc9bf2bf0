#include "hotspot_frames/java_threads.hpp"

#include <array>
#include <cstddef>
#include <vector>

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

std::optional<frame_anchor> read_anchor(const process_memory& memory, const vm_layout& layout,
                                        std::uint64_t address) {
  frame_anchor anchor;
  const std::array<memory_range, 3> ranges{range_of(address + layout.anchor_sp, anchor.sp),
                                           range_of(address + layout.anchor_pc, anchor.pc),
                                           range_of(address + layout.anchor_fp, anchor.fp)};
  return memory.read(ranges) ? std::optional{anchor} : std::nullopt;
}

bool java_threads::has_id(std::uint64_t thread, pid_t native_id) const {
  std::uint64_t os_thread = 0;
  pid_t id = 0;
  return memory_->read_value(thread + layout_->thread_os, os_thread) &&
         memory_->read_value(os_thread + layout_->os_thread_id, id) && id == native_id;
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
      threads_.emplace(id, thread);
  }
}

std::optional<frame_anchor> java_threads::anchor_of(pid_t native_id, std::uint64_t now_ns) {
  auto thread = threads_.find(native_id);
  if ((thread == threads_.end() || !has_id(thread->second, native_id)) && now_ns >= next_list_ns_) {
    list_threads();
    next_list_ns_ = now_ns + list_pause_ns;
    thread = threads_.find(native_id);
  }
  if (thread == threads_.end() || !has_id(thread->second, native_id)) return std::nullopt;
  return read_anchor(*memory_, *layout_, thread->second + layout_->thread_anchor);
}

}  // namespace stallscope::hotspot_frames
