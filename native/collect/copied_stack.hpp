// Where a sample record in a ring has its copied stack: the fields of sample_fields, the chain, the
// registers, then the copy. No system calls, no copy. Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "collect/stack_choice.hpp"
#include "perf_events/ring_view.hpp"
#include "unwind/registers.hpp"

namespace stallscope::collect {

// Offsets are in bytes from the start of the record.
struct copied_stack {
  std::uint64_t registers_at = 0;
  std::uint64_t room_at = 0;  // the word with the size of the copy; the copy follows it
  std::uint64_t room = 0;     // the size of the copy
  std::uint64_t copied = 0;   // the bytes of it that the kernel could read
};

// The register that has the stack pointer.
constexpr unsigned stack_pointer() noexcept {
  return this_architecture() == unwind::architecture::x86_64 ? unwind::x86_64::rsp
                                                             : unwind::arm64::sp;
}

// Returns nullopt if the record has no registers and copy, or a size is out of range.
std::optional<copied_stack> find_copied_stack(const perf_events::record_view& record);

// All registers of the record.
unwind::registers registers_of(const perf_events::record_view& record, const copied_stack& place);

}  // namespace stallscope::collect
