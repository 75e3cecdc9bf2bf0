// How a recording takes user stacks, the reason, and the consequences: the bits of the sampling
// attribute, the size of the rings, the space on the disk. Pure computation. Any thread.
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

using unwind::this_architecture;

enum class stack_kind { frame_pointers, copies, mixed };

struct process_stacks {
  pid_t pid = 0;
  stack_kind kind = stack_kind::frame_pointers;
  std::size_t probed_samples = 0;
  std::optional<double> whole_share;  // of the chains by frame pointers; nullopt without samples
};

struct stack_choice {
  stack_kind kind = stack_kind::frame_pointers;
  std::string why;  // a clause of a sentence
  std::vector<process_stacks> processes;
  bool with_runtime = false;  // copied because of a managed runtime
};

// The names in options and documents: "fp", "dwarf", "mixed".
const char* name_of(stack_kind kind);

// "copied (8 KiB per sample): WHY" or "by frame pointers: WHY".
std::string describe(const stack_choice& choice, std::uint32_t stack_bytes);

// The same sampling with copied stacks and the registers that unwinding on this machine starts
// from.
perf_events::sampling with_copies(perf_events::sampling how, std::uint32_t stack_bytes);

// The bytes per second that a busy CPU writes; 0 if samples come by a period, at an unknown rate.
std::uint64_t bytes_per_second(const perf_events::sampling& how);

// The ring size per CPU: about a second of samples, because a flushing disk can stop the drain for
// that long, limited to a range and a small share of the memory.
// The least size is larger for records of waits, whose rate is unknown and may be high.
std::size_t ring_bytes_for(const perf_events::sampling& how, std::size_t cpus,
                           std::uint64_t memory_bytes, bool with_waits = false);

// Returns a warning if the free space is too small for the duration with all these CPUs busy.
std::optional<warning> space_warning(const perf_events::sampling& how, std::size_t cpus,
                                     double duration_s, std::uint64_t free_bytes);

}  // namespace stallscope::collect
