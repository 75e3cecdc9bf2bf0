// A sample that holds both the user's call chain by frame pointers and a copy of the stack with its
// registers, and whether the chain tells as much as the copy does.
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

// The fields of a sample record laid out by sample_fields, registers and stack behind them; nothing
// where its sizes make no sense.
std::optional<copied_sample> parse_copied_sample(std::span<const std::byte> record,
                                                 std::size_t register_count);

// Whether a chain by frame pointers has what the unwound one has. It may lack the caller of a leaf
// function, which keeps no frame, and, where the unwound chain is complete, its two outermost
// frames: those of the C library's entry, which has no frame pointers and no caller of interest.
bool covers(std::span<const std::uint64_t> chain, std::span<const unwind::frame> unwound,
            bool complete);

}  // namespace stallscope::collect
