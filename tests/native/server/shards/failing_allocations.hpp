// Makes allocations of this thread fail: those of operator new, and those of malloc() and calloc()
// in stallscope's own code. Linked into a test with --wrap=malloc --wrap=calloc.
//
//   failing_allocations::begin({.succeed = 3, .only_one_fails = true});
//   run_code_under_test();
//   const bool one_failed = failing_allocations::end();
#pragma once

#include <cstddef>

namespace failing_allocations {

struct plan {
  std::size_t succeed = 0;  // allocations before the first one that fails
  bool only_one_fails = true;
};

void begin(const plan& failing);
// All allocations succeed from here on. Returns whether one has failed.
bool end();

}  // namespace failing_allocations
