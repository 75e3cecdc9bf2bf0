// How much of its frame an x86-64 function has built when it was interrupted, from its
// instructions. Compiled Java methods have no tables for their prologues and epilogues. Reads only
// its argument. No system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::hotspot_frames {

struct frame_progress {
  bool complete = true;     // the frame has its full size, or its state is unknown
  std::uint64_t bytes = 0;  // pushed and reserved below the return address
  bool saved_rbp = false;   // the caller's frame pointer is at the top of these bytes
};

// `code` starts at the entry; `offset` is that of the interrupted instruction, `complete` that of
// the first instruction after the prologue.
frame_progress progress_at(std::span<const std::byte> code, std::size_t offset,
                           std::size_t complete);

// Whether a method returns at an instruction between two offsets: behind a return, another part of
// the method begins.
bool returns_between(std::span<const std::byte> code, std::size_t begin, std::size_t end);

}  // namespace stallscope::hotspot_frames
