// Rules for the stubs of procedure linkage (.plt, .plt.sec, .plt.got, .iplt), for which lld, mold
// and
// --no-ld-generated-unwind-info leave no call frame information. Found by the stubs' own bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

// Code whose caller's frame lies `pushed` bytes above the stack pointer of its entry: the return
// address stands there, or on arm64 in the link register.
struct linkage_stub {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t pushed = 0;
  bool link_saved = false;  // arm64: the link register was pushed
};

// Sorted within each section.
std::vector<linkage_stub> procedure_linkage(const elf_image& image);

}  // namespace stallscope::unwind
