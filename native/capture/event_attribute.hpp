// perf_event_attr as files have it: 64 bytes in the first version, 136 and more today, its flags a
// bit field whose bits run the other way on big-endian machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "capture/capture.hpp"

namespace stallscope::capture {

inline constexpr std::size_t smallest_attribute_bytes = 64;

// The size that the attribute itself tells (0 means the first version). Throws capture_error where
// `bytes` has less or the size is none that perf ever wrote.
std::size_t attribute_size(std::span<const std::byte> bytes, bool swap, std::uint64_t offset);
attribute parse_attribute(std::span<const std::byte> bytes, bool swap, std::uint64_t offset);
// The kernel's name of an event that the file does not name.
std::string event_name(std::uint32_t type, std::uint64_t config);

}  // namespace stallscope::capture
