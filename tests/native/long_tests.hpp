// Test sizes: short in ./dev test, long in ./dev fuzz, which sets STALLSCOPE_LONG_TESTS=1. A test
// executable that uses this is declared with LONG in its CMakeLists.txt, by which ./dev fuzz
// selects it:
//   for (int repeat = 0; repeat < long_tests(10, 500); ++repeat) { ... }
#pragma once

#include <cstdlib>
#include <string_view>

inline int long_tests(int short_size, int long_size) {
  const char* const variable = std::getenv("STALLSCOPE_LONG_TESTS");
  return variable != nullptr && std::string_view{variable} == "1" ? long_size : short_size;
}
