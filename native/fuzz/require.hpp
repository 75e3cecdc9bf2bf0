// An assertion that also holds in optimized builds: libFuzzer keeps the input that breaks it.
#pragma once

#include <cstdlib>

inline void require(bool holds) {
  if (!holds) std::abort();
}
