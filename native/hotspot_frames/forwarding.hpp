// The method to which a Java method only forwards its arguments, like the run() of a method
// reference. If compiled code has no debug information and its method only forwards, the callee was
// inlined and does the work. Costs six system calls. The process is untrusted input: the result is
// an address that must be checked like that of any method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hotspot_frames/vm_layout.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::hotspot_frames {

// Index of the call in the resolved calls of the class, if the bytecodes load values, call a single
// static or private method, and return.
std::optional<std::uint16_t> forwarding_call(std::span<const std::byte> bytecodes);

// Returns nullopt if the method does more, or if the call is not resolved.
std::optional<std::uint64_t> forwarded_method(const process_memory& memory, const vm_layout& layout,
                                              std::uint64_t method);

}  // namespace stallscope::hotspot_frames
