// Every kernel and what is known about it: the one place that names them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

struct kernel_entry {
  const char* name;
  const char* what;      // what it does, in a line
  const char* expected;  // a path of the top-down tree, or "kernel: ...", "waiting: ..."
  // What shows it on a host without hardware counters.
  const char* without_counters;
  std::unique_ptr<kernel_base> (*make)(const kernel_settings& setting);
  // Iterations of one call: some tenths of a millisecond, and always as many, so that counts
  // repeat.
  std::uint64_t iterations_per_call;
  unsigned threads = 1;        // by default
  unsigned least_threads = 1;  // fewer have nobody to wait for
  unsigned most_threads = 64;
  unsigned instructions_per_iteration = 0;  // exact in user mode; 0: not stated
  bool may_be_padded = false;
  bool held_out = false;  // no constant of the modelled source was found with it
};

std::span<const kernel_entry> all_kernels() noexcept;

// Null where none has this name.
const kernel_entry* find_kernel(std::string_view name) noexcept;

}  // namespace stallscope::kernels
