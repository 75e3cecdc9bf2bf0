// The Java threads of a process by thread id, and where each has left Java code (the frame anchor).
// The list is read when a thread id is unknown, at most every 100 ms: a system call per thread. An
// anchor costs a system call, and serves all samples before it was read. It may be newer than a
// sample of the thread. Belongs to a single thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "hotspot_frames/vm_layout.hpp"

namespace stallscope::hotspot_frames {

// The innermost Java frame of a thread that runs native code.
struct frame_anchor {
  std::uint64_t sp = 0;  // 0: the thread runs Java code, or has no Java frame
  std::uint64_t pc = 0;  // 0: the return address below sp
  std::uint64_t fp = 0;
};

class java_threads {
 public:
  // `memory` and `layout` must outlive the object.
  java_threads(const process_memory& memory, const vm_layout& layout)
      : memory_{&memory}, layout_{&layout} {}

  // `native_id` is the thread's id in its innermost pid namespace. Returns nullopt if it is not a
  // Java thread.
  std::optional<frame_anchor> anchor_of(pid_t native_id, std::uint64_t sample_ns);

 private:
  struct java_thread {
    std::uint64_t address = 0;  // of the JavaThread
    std::uint64_t os_thread = 0;
    std::optional<frame_anchor> anchor{};  // the last one
    std::uint64_t anchor_ns = 0;           // when it was read
  };
  void list_threads();
  // Reads an anchor that is newer than a sample. Without one, the thread is another one by now.
  void read_anchor(java_thread& thread, pid_t native_id, std::uint64_t sample_ns) const;

  const process_memory* memory_;
  const vm_layout* layout_;
  std::unordered_map<pid_t, java_thread> threads_;
  std::uint64_t next_list_ns_ = 0;
};

}  // namespace stallscope::hotspot_frames
