// The managed frames of a sample. A stack alternates between native frames, which the analyzer
// unwinds by call frame information, and segments of managed frames, which a runtime reader names.
// Plain values.
#pragma once

#include <cstdint>
#include <vector>

namespace stallscope::managed_frames {

// The return address of a segment that leaves the copied stack.
inline constexpr std::uint64_t not_copied = 1;

struct managed_frame {
  std::uint64_t function = 0;  // id of a function_log
  std::uint32_t line = 0;      // 0: not known
  bool inlined = false;        // into the next frame of the segment
  bool operator==(const managed_frame&) const = default;
};

// A run of managed frames without native frames between them. Native unwinding that arrives at the
// entry continues with the registers of the exit.
struct managed_segment {
  // The program counter of the innermost frame, and the stack pointer there: both of the sample if
  // the frame is the leaf, otherwise a return address and the stack pointer after the return.
  std::uint64_t entry_pc = 0;
  std::uint64_t entry_sp = 0;
  // The caller of the outermost frame: the return address and the registers after the return. A
  // return address of 0: the stack ends here and is complete; of 1: the rest was not copied.
  std::uint64_t exit_pc = 0;
  std::uint64_t exit_sp = 0;
  std::uint64_t exit_fp = 0;
  std::vector<managed_frame> frames{};  // innermost first, never empty
};

struct managed_stack {
  std::vector<managed_segment> segments{};  // innermost first, ascending stack pointers
  // Frames of interpreters that keep them in a stack of the runtime (Ruby, PHP): a run per call of
  // the interpreter's loop. The analyzer puts each run in the place of a native call of the loop.
  std::vector<std::vector<managed_frame>>
      runs{};  // innermost first, as their frames; none is empty
};

// Why a sample has no managed stack. The names are part of runtimes.jsonl.
enum class walk_result {
  walked,       // the segments are complete as far as the copy reaches; there may be none
  late,         // the sample was too old when the helper saw it
  torn,         // structures changed during every attempt
  unreadable,   // memory could not be read
  over_budget,  // the process used up its time or its bytes
};

const char* name_of(walk_result result);

}  // namespace stallscope::managed_frames
