// The entries of .eh_frame and .debug_frame: common ones (CIE) and those of functions (FDE), with
// their addresses decoded and their instructions still bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "unwind/elf_image.hpp"

namespace stallscope::unwind {

enum class frame_format : std::uint8_t { eh_frame, debug_frame };

struct common_entry {
  std::span<const std::byte> instructions;
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint64_t return_column = 0;
  std::uint8_t pointer_encoding = 0;
  bool has_augmentation_size = false;
  bool is_signal_frame = false;
};

// The code [start, end) of one FDE.
struct function_entry {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::span<const std::byte> instructions;
  std::uint64_t instructions_address = 0;
  std::uint32_t common = 0;  // index into frame_entries::commons
};

struct frame_entries {
  std::vector<common_entry> commons;
  std::vector<function_entry> functions;  // in the section's order
  std::size_t bad = 0;
};

// Reads all entries of code in `image`; bad ones are counted and left out, and reading ends at a
// length that makes no sense. `unbounded`: the section's end is not known, a zero length ends it.
frame_entries read_frame_entries(const elf_image& image, const section_bytes& section,
                                 frame_format format, bool unbounded);

// The address of .eh_frame that a .eh_frame_hdr at `address` holds.
std::optional<std::uint64_t> frame_address(const elf_image& image, std::uint64_t header_address);

}  // namespace stallscope::unwind
