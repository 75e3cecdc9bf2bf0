// Decompresses a section (SHF_COMPRESSED). Supports zlib, and only in builds with zlib; otherwise a
// compressed section counts as missing. Costs a decompression into a new buffer. Any thread may
// call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

// Returns nullopt if the bytes are damaged or the size exceeds `max_bytes`.
std::optional<section_bytes> inflate_section(std::span<const std::byte> compressed,
                                             std::uint64_t max_bytes);

}  // namespace stallscope::unwind
