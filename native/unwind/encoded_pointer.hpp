// Decodes pointers of exception tables (DW_EH_PE_*, Linux Standard Base Core, 10.5). Constant time;
// an indirect pointer adds a read of the image. Any thread may call it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/byte_reader.hpp"
#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

inline constexpr std::uint8_t pointer_omitted = 0xff;

struct pointer_bases {
  std::uint64_t section = 0;  // load address of the reader's bytes
  std::uint64_t text = 0;
  std::uint64_t global_offsets = 0;
};

// Returns nullopt if the encoding is unknown or the address behind an indirect pointer is not
// loaded.
std::optional<std::uint64_t> read_pointer(byte_reader& reader, std::uint8_t encoding,
                                          const pointer_bases& bases, const elf_image& image);

// Reads the number without a base, the form of range sizes.
std::optional<std::uint64_t> read_plain(byte_reader& reader, std::uint8_t encoding);

}  // namespace stallscope::unwind
