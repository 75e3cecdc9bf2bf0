// A sample that holds both the user call chain by frame pointers and a copy of the stack with its
// registers, and the comparison of the chain with the unwound copy. Pure computation. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "unwind/unwinder.hpp"

namespace stallscope::collect {

struct copied_sample {
  pid_t pid = 0;
  std::vector<std::uint64_t> user_chain;  // innermost first
  std::uint64_t registers_abi = 0;        // PERF_SAMPLE_REGS_ABI_*
  std::vector<std::uint64_t> registers;
  std::vector<std::byte> stack;
};

// Parses a sample record: the fields of sample_fields, then registers and stack. Returns nullopt if
// a size is out of range.
std::optional<copied_sample> parse_copied_sample(std::span<const std::byte> record,
                                                 std::size_t register_count);

// Returns whether a chain by frame pointers contains the frames of the unwound chain. It may lack
// the caller of a leaf function, which has no frame. If the unwound chain is complete, it may also
// lack the two outermost frames: the C library's entry code has no frame pointers.
bool covers(std::span<const std::uint64_t> chain, std::span<const unwind::frame> unwound,
            bool complete);

}  // namespace stallscope::collect
