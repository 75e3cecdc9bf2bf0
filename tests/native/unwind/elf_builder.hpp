// Builds small ELF files in memory, and the bytes of their call frame information. Costs a few
// allocations; any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "unwind/registers.hpp"

namespace elf_builder {

using bytes = std::vector<std::byte>;

inline constexpr std::uint64_t load_address = 0x400000;
inline constexpr std::uint64_t load_bytes = 0x100000;  // more than the file: all of it is code
inline constexpr std::uint64_t code = load_address + 0x10000;

struct section {
  std::string name;
  bytes content;
  std::uint64_t flags = 2;  // SHF_ALLOC
};

struct options {
  stallscope::unwind::architecture arch = stallscope::unwind::architecture::x86_64;
  std::uint64_t entry = 0;
  bool section_headers = true;
  std::size_t frame_header_section =
      SIZE_MAX;  // index of the section that PT_GNU_EH_FRAME refers to
};

// Address of the first section. Further sections follow, aligned to 16 bytes.
inline constexpr std::uint64_t first_section = load_address + 256;

// Builds a file with a loaded, executable segment that contains all sections.
bytes build(std::span<const section> sections, const options& how = {});
bytes build(std::initializer_list<section> sections, const options& how = {});

// Concatenates little-endian numbers, text and bytes.
class writer {
 public:
  template <typename Number>
  writer& put(Number value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    made_.insert(made_.end(), raw.begin(), raw.end());
    return *this;
  }
  writer& list(std::initializer_list<unsigned> values);
  writer& text(const std::string& value);  // with its final zero
  writer& raw(std::span<const std::byte> value);
  [[nodiscard]] std::size_t size() const { return made_.size(); }
  [[nodiscard]] const bytes& made() const { return made_; }

 private:
  bytes made_;
};

struct entry_options {
  std::initializer_list<unsigned> common = {0x0c, 7, 8, 0x90, 1};  // CFA rsp+8, rip at CFA-8
  std::string augmentation = "zR";
  unsigned return_column = 16;
  int data_alignment = -8;
  unsigned code_alignment = 1;
};

// Returns .eh_frame with a CIE and an FDE of `size` bytes at `start` with these instructions.
// Addresses take 8 bytes.
bytes eh_frame(std::initializer_list<unsigned> instructions, const entry_options& how = {},
               std::uint64_t start = code, std::uint64_t size = 0x100);

// Returns a CIE for .eh_frame. Tests concatenate further parts.
bytes eh_common(const entry_options& how = {});
bytes eh_function(std::uint32_t back_to_common, std::uint64_t start, std::uint64_t size,
                  std::initializer_list<unsigned> instructions, bool augmented = true);

}  // namespace elf_builder
