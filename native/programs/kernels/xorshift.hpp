// Random numbers that cost a kernel three shifts. Pure.
#pragma once

#include <cstdint>

namespace stallscope::kernels {

// The number after one, which is not 0: xorshift64, Marsaglia 2003.
constexpr std::uint64_t xorshift64(std::uint64_t state) noexcept {
  state ^= state << 13U;
  state ^= state >> 7U;
  return state ^ (state << 17U);
}

}  // namespace stallscope::kernels
