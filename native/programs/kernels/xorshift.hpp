// A random number generator that costs three shifts and three exclusive ors. Any thread.
#pragma once

#include <cstdint>

namespace stallscope::kernels {

// Returns the state after `state`, which must not be 0 (xorshift64, Marsaglia 2003).
constexpr std::uint64_t xorshift64(std::uint64_t state) noexcept {
  state ^= state << 13U;
  state ^= state >> 7U;
  return state ^ (state << 17U);
}

}  // namespace stallscope::kernels
