// The parts of an ELF file that unwinding needs: where it is loaded, and its sections' bytes.
// Everything is read by pread and bounded by the file's size; files are strangers' input.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "unwind/registers.hpp"

namespace stallscope::unwind {

// More than any linked file has; lookups go through them one by one.
inline constexpr std::size_t most_segments = 64;

// A part of the file that the loader maps.
struct segment {
  std::uint64_t address = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t executable = 0;
  std::uint32_t unused = 0;
};

// Bytes that were not zeroed before they were read: sections are large.
struct section_bytes {
  std::unique_ptr<std::byte[]> held;
  std::span<const std::byte> bytes;
  std::uint64_t address = 0;  // where the loader puts them, 0 where it does not
};

class elf_image {
 public:
  // Throws table_error where this is no 64-bit little-endian program or library of x86-64 or arm64.
  explicit elf_image(int descriptor);
  explicit elf_image(std::span<const std::byte> image);

  [[nodiscard]] architecture arch() const noexcept { return arch_; }
  // Where the loader starts it.
  [[nodiscard]] std::uint64_t entry() const noexcept { return entry_; }
  [[nodiscard]] const std::vector<segment>& segments() const noexcept { return segments_; }

  // The section of this name, decompressed; nothing where there is none or it has no bytes.
  [[nodiscard]] std::optional<section_bytes> section(std::string_view name) const;
  // 0 where there is none.
  [[nodiscard]] std::uint64_t section_address(std::string_view name) const;
  // Address of PT_GNU_EH_FRAME, where there is one.
  [[nodiscard]] std::optional<std::uint64_t> frame_header_address() const noexcept {
    return frame_header_;
  }
  // The bytes from a loaded address to the end of its segment's part in the file, `most` at the
  // most.
  [[nodiscard]] std::optional<section_bytes> loaded(std::uint64_t address,
                                                    std::uint64_t most) const;
  [[nodiscard]] bool executable(std::uint64_t address) const noexcept;

 private:
  void open();
  void read_segments(const Elf64_Ehdr& header);
  void read_sections(const Elf64_Ehdr& header);
  [[nodiscard]] const Elf64_Shdr* find(std::string_view name) const;
  // False where the bytes do not all exist.
  bool read(std::uint64_t offset, std::span<std::byte> into) const;
  [[nodiscard]] std::optional<section_bytes> copy(std::uint64_t offset, std::uint64_t count) const;

  int descriptor_ = -1;
  std::span<const std::byte> image_;
  std::uint64_t size_ = 0;
  architecture arch_ = architecture::x86_64;
  std::uint64_t entry_ = 0;
  std::vector<segment> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<char> names_;
  std::optional<std::uint64_t> frame_header_;
};

}  // namespace stallscope::unwind
