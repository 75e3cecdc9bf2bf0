// How a recording takes user stacks, why so, and what that needs: the bits of the sampling
// attribute, the size of the rings, the space on the disk. Computes only; any thread may call.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "collect/options.hpp"
#include "perf_events/open_event.hpp"
#include "unwind/registers.hpp"

namespace stallscope::collect {

constexpr unwind::architecture this_architecture() {
#ifdef __aarch64__
  return unwind::architecture::arm64;
#else
  return unwind::architecture::x86_64;
#endif
}

enum class stack_kind { frame_pointers, copies, mixed };

struct process_stacks {
  pid_t pid = 0;
  stack_kind kind = stack_kind::frame_pointers;
  std::size_t probed_samples = 0;
  std::optional<double>
      whole_share;  // of the chains by frame pointers; nothing where none was seen
};

struct stack_choice {
  stack_kind kind = stack_kind::frame_pointers;
  std::string why;  // a clause for a person
  std::vector<process_stacks> processes;
};

// "fp", "dwarf", "mixed": as options and documents name them.
const char* name_of(stack_kind kind);

// "copied (8 KiB a sample): WHY" or "by frame pointers: WHY", for a person.
std::string describe(const stack_choice& choice, std::uint32_t stack_bytes);

// The same sampling with stacks copied, with the registers that unwinding on this machine begins
// with.
perf_events::sampling with_copies(perf_events::sampling how, std::uint32_t stack_bytes);

// What one CPU that is busy all the time writes; 0 where samples come by a period, at no known
// rate.
std::uint64_t bytes_per_second(const perf_events::sampling& how);

// The ring of each CPU: about a second of samples, since a disk that flushes keeps the collector
// from draining for so long, within bounds and a small share of the memory.
std::size_t ring_bytes_for(const perf_events::sampling& how, std::size_t cpus,
                           std::uint64_t memory_bytes);

// A warning where the space left would not last the duration, were all these CPUs busy.
std::optional<warning> space_warning(const perf_events::sampling& how, std::size_t cpus,
                                     double duration_s, std::uint64_t free_bytes);

}  // namespace stallscope::collect
