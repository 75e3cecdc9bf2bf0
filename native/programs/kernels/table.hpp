// The table of all kernels with their properties, the only place that lists them. A lookup is a
// linear search. Any thread.
//
//   const kernel_entry* entry = find_kernel("streaming");
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// The cause that a diagnosis of waits must name first: the kind of a node of the wait-for graph and
// its name, null if it depends on the machine.
struct wait_cause {
  const char* kind = nullptr;  // null: no cause is expected
  const char* name = nullptr;
};

struct kernel_entry {
  const char* name;
  const char* what;      // description in one line
  const char* expected;  // expected diagnosis: a path of the top-down tree, or "kernel: ...",
                         // "waiting: ..."
  // The evidence on a host without hardware counters.
  const char* without_counters;
  std::unique_ptr<kernel_base> (*make)(const kernel_settings& setting);
  // Iterations per call: some tenths of a millisecond. Constant, so that event counts repeat.
  std::uint64_t iterations_per_call;
  unsigned threads = 1;      // default
  unsigned min_threads = 1;  // fewer threads would wait forever
  unsigned max_threads = 64;
  unsigned instructions_per_iteration = 0;  // exact, in user mode; 0: unknown
  bool may_be_padded = false;
  const char* look_alike = nullptr;  // what differs with --look-alike; null: there is none
  const char* cured = nullptr;       // what differs with --cured; null: there is no cure
  bool held_out = false;             // no constant of the modelled source was fitted to it
  wait_cause first_cause{};          // of the time in which its threads wait
  const char* sign = nullptr;        // of a lock, that a diagnosis of waits must find; null: none
  bool measures_states = false;      // its threads measure their time by state
  bool child_process = false;        // a process beside its threads takes part
  bool uses_disk = false;
  double rate_per_s = 0;     // default rate of waits; 0: the kernel has no rate
  bool uses_cgroup = false;  // needs the right to make a cgroup
};

std::span<const kernel_entry> all_kernels() noexcept;

// Returns null if no kernel has this name.
const kernel_entry* find_kernel(std::string_view name) noexcept;

}  // namespace stallscope::kernels
