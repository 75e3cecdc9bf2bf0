// Parses the entries of .eh_frame and .debug_frame: common information entries (CIE) and frame
// description entries (FDE). Addresses are decoded; instructions stay bytes that refer to the
// section. Linear in the size of the section. Any thread may call it.
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

// The code [start, end) that an FDE describes.
struct function_entry {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::span<const std::byte> instructions;
  std::uint64_t instructions_address = 0;
  std::uint32_t common = 0;  // index into frame_entries::commons
};

struct frame_entries {
  std::vector<common_entry> commons;
  std::vector<function_entry> functions;  // in section order
  std::size_t bad = 0;
};

// Reads all entries that describe code in `image`. Invalid entries are counted in `bad` and
// skipped; an invalid length ends reading. If `unbounded` is set, the end of the section is unknown
// and a length of zero ends it.
frame_entries read_frame_entries(const elf_image& image, const section_bytes& section,
                                 frame_format format, bool unbounded);

// Returns the address of .eh_frame that the .eh_frame_hdr at `header_address` contains.
std::optional<std::uint64_t> frame_address(const elf_image& image, std::uint64_t header_address);

}  // namespace stallscope::unwind
