// Rules for the stubs of procedure linkage (.plt, .plt.sec, .plt.got, .iplt). lld, mold and
// --no-ld-generated-unwind-info emit no call frame information for them, so the rules are derived
// from the instruction bytes. Linear in the size of the sections. Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

// Code in which the caller's frame is `pushed` bytes above the stack pointer at entry. The return
// address is at that position, or on arm64 in the link register.
struct linkage_stub {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t pushed = 0;
  bool link_saved = false;  // arm64: the link register is on the stack
};

// Returns the stubs, sorted within a section.
std::vector<linkage_stub> procedure_linkage(const elf_image& image);

}  // namespace stallscope::unwind
