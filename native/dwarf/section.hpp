// The bytes of a section of debug information, read when they are needed: a look-up of a few
// addresses reads a few units of a file of gigabytes. Parts of a file are read with pread in blocks
// of 16 KiB, because the file is untrusted and may shrink; a compressed section (zlib, zstd) is
// decompressed as far as needed. Costs address space of the section's size, and memory of what was
// read. Spans stay valid as long as the section. A section belongs to a single thread.
//   section info(descriptor, {.offset = 4096, .stored_bytes = 100, .size_bytes = 100});
//   const std::span<const std::byte> unit = info.bytes(offset, length);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace stallscope::dwarf {

enum class compression : std::uint8_t { none, zlib, zstd };

// Where a section is stored in a file.
struct section_place {
  std::uint64_t offset = 0;        // without the header of a compressed section
  std::uint64_t stored_bytes = 0;  // in the file
  std::uint64_t size_bytes = 0;    // after decompression
  compression format = compression::none;
};

// The content of a section in memory, which grows on demand.
class section_content {
 public:
  virtual ~section_content() = default;
  // The whole section; only what was loaded may be read.
  [[nodiscard]] virtual std::span<const std::byte> all() const noexcept = 0;
  // Loads the bytes from `begin` to `end`, which is inside. Throws malformed if they cannot be
  // read.
  virtual void load(std::size_t begin, std::size_t end) = 0;
};

class section {
 public:
  // A missing section: it has no bytes.
  section() noexcept;
  // Bytes in memory, which stay valid as long as the section.
  explicit section(std::span<const std::byte> content);
  // A part of a file; the descriptor stays open as long as the section. Throws malformed if the
  // place is impossible, and std::bad_alloc.
  section(int descriptor, const section_place& place);
  section(section&&) noexcept;
  section& operator=(section&&) noexcept;
  section(const section&) = delete;
  section& operator=(const section&) = delete;
  ~section();

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Throws malformed if a byte is outside.
  std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t count);
  // The bytes from `offset` to the end of the section. Throws malformed if it is outside.
  std::span<const std::byte> from(std::uint64_t offset);
  // The first `end` bytes, of which only those that were requested before may be read.
  [[nodiscard]] std::span<const std::byte> loaded(std::uint64_t end) const noexcept;
  // The text up to the next null byte. Throws malformed if there is none.
  std::string_view text(std::uint64_t offset);
  // A number of 1 to 8 bytes. Throws malformed if it is outside.
  std::uint64_t number(std::uint64_t offset, unsigned size_bytes);

 private:
  std::unique_ptr<section_content> content_;
  std::uint64_t size_ = 0;
};

// The sections of a file that locations of addresses need.
struct sections {
  section info;
  section abbrev;
  section line;
  section str;
  section line_str;
  section str_offsets;
  section addr;
  section ranges;    // DWARF 4
  section rnglists;  // DWARF 5
  section aranges;
};

}  // namespace stallscope::dwarf
