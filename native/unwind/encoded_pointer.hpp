// Pointers as exception tables encode them (DW_EH_PE_*, Linux Standard Base Core, 10.5).
#pragma once

#include <cstdint>
#include <optional>

#include "unwind/byte_reader.hpp"
#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

inline constexpr std::uint8_t pointer_omitted = 0xff;

struct pointer_bases {
  std::uint64_t section = 0;  // address of the bytes that the reader reads
  std::uint64_t text = 0;
  std::uint64_t global_offsets = 0;
};

// Nothing where the encoding is unknown or what it points through does not exist.
std::optional<std::uint64_t> read_pointer(byte_reader& reader, std::uint8_t encoding,
                                          const pointer_bases& bases, const elf_image& image);

// The number alone, as sizes of ranges are written.
std::optional<std::uint64_t> read_plain(byte_reader& reader, std::uint8_t encoding);

}  // namespace stallscope::unwind
