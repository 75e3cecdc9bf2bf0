// The parts of an ELF file that unwinding needs: its loaded segments and the bytes of its sections.
// Reads with pread and checks every offset against the file size, because files are untrusted
// input. Costs a system call per read. Any thread may read a constructed image.
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

// Limit above the segment count of real files. Lookups are linear.
inline constexpr std::size_t max_segments = 64;

// A loaded segment (PT_LOAD).
struct segment {
  std::uint64_t address = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t executable = 0;
  std::uint32_t unused = 0;
};

// The bytes of a section. The buffer is not zeroed before reading, because sections are large.
struct section_bytes {
  std::unique_ptr<std::byte[]> storage;
  std::span<const std::byte> bytes;
  std::uint64_t address = 0;  // load address, 0 if not loaded
};

class elf_image {
 public:
  // Throws table_error unless the file is a 64-bit little-endian program or library for x86-64 or
  // arm64.
  explicit elf_image(int descriptor);
  explicit elf_image(std::span<const std::byte> image);

  [[nodiscard]] architecture arch() const noexcept { return arch_; }
  // The entry point.
  [[nodiscard]] std::uint64_t entry() const noexcept { return entry_; }
  [[nodiscard]] const std::vector<segment>& segments() const noexcept { return segments_; }

  // The bytes of the section with this name, decompressed; nullopt if it is missing or empty.
  [[nodiscard]] std::optional<section_bytes> section(std::string_view name) const;
  // 0 if there is no such section.
  [[nodiscard]] std::uint64_t section_address(std::string_view name) const;
  // The address of PT_GNU_EH_FRAME, if present.
  [[nodiscard]] std::optional<std::uint64_t> frame_header_address() const noexcept {
    return frame_header_;
  }
  // The bytes from a loaded address to the end of its segment's file contents, limited to
  // `max_bytes`.
  [[nodiscard]] std::optional<section_bytes> loaded(std::uint64_t address,
                                                    std::uint64_t max_bytes) const;
  [[nodiscard]] bool executable(std::uint64_t address) const noexcept;

 private:
  void open();
  void read_segments(const Elf64_Ehdr& header);
  void read_sections(const Elf64_Ehdr& header);
  [[nodiscard]] const Elf64_Shdr* find(std::string_view name) const;
  // Returns false if the range is not entirely inside the file.
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
