// How much of its frame a function has built when it was interrupted, from its instructions.
// Compiled Java methods have no tables for their prologues and epilogues. Reads only its argument.
// No system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unwind/registers.hpp"

namespace stallscope::hotspot_frames {

struct frame_progress {
  bool complete = true;     // the frame has its full size, or its state is unknown
  std::uint64_t bytes = 0;  // pushed and reserved; on x86-64 below the return address
  // The caller's frame pointer is at the top of these bytes, on arm64 with the return address above
  // it, which is in the link register otherwise.
  bool saved_fp = false;
};

// `code` starts at the entry; `offset` is that of the interrupted instruction, `complete` that of
// the first instruction after the prologue.
frame_progress progress_at(unwind::architecture arch, std::span<const std::byte> code,
                           std::size_t offset, std::size_t complete);

// Whether a method returns at an instruction between two offsets: behind a return, another part of
// the method begins.
bool returns_between(unwind::architecture arch, std::span<const std::byte> code, std::size_t begin,
                     std::size_t end);

}  // namespace stallscope::hotspot_frames
