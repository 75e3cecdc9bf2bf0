// perf_event_attr in files: 64 bytes in the first version, 136 and more today. Its flags are a bit
// field with reversed bit order on big-endian machines. Pure computation. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "capture/capture.hpp"

namespace stallscope::capture {

inline constexpr std::size_t smallest_attribute_bytes = 64;

// Returns the attribute's size field (0 means the first version). Throws capture_error if `bytes`
// is shorter or perf never wrote that size.
std::size_t attribute_size(std::span<const std::byte> bytes, bool swap, std::uint64_t offset);
attribute parse_attribute(std::span<const std::byte> bytes, bool swap, std::uint64_t offset);
// The kernel's name for an event without a name in the file.
std::string event_name(std::uint32_t type, std::uint64_t config);

}  // namespace stallscope::capture
