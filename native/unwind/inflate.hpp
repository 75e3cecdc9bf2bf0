// The bytes of a compressed section (SHF_COMPRESSED). Only zlib's form is read, and only where this
// was built with zlib: elsewhere such a section counts as missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

// Nothing where the bytes are damaged or would grow past `most` bytes.
std::optional<section_bytes> inflate_section(std::span<const std::byte> compressed,
                                             std::uint64_t most);

}  // namespace stallscope::unwind
