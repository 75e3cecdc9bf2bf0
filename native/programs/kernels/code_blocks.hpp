// The code that the assembler repeats (code_blocks.cpp): two functions of a few megabytes, alike in
// each pass, that touch no memory but their own instructions.
#pragma once

#include <cstdint>

namespace stallscope::kernels {

// straight_code: units of eight additions, one after the other. What is added is as large as an
// instruction can hold on x86-64, for long instructions.
inline constexpr std::uint64_t additions_per_unit = 8;
#if defined(__x86_64__)
inline constexpr std::uint64_t added = 0x0100'0001;
inline constexpr std::uint64_t straight_units = 37'440;  // of 56 bytes
inline constexpr std::uint64_t straight_unit_bytes = 56;
#else
inline constexpr std::uint64_t added = 1;
inline constexpr std::uint64_t straight_units = 65'536;  // of 32 bytes
inline constexpr std::uint64_t straight_unit_bytes = 32;
#endif

// branchy_code: blocks of a cache line each, four additions and a jump to the block that
// comes next in a fixed, scattered order which passes through all (a full-period linear
// congruence).
inline constexpr std::uint64_t branchy_blocks = 16'384;
inline constexpr std::uint64_t branchy_block_bytes = 64;
inline constexpr std::uint64_t additions_per_block = 4;

extern "C" {
// One pass each; they return the value plus all that the pass added.
std::uint64_t stallscope_straight_code(std::uint64_t value);
std::uint64_t stallscope_branchy_code(std::uint64_t value);
}

}  // namespace stallscope::kernels
