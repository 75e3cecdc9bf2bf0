// The call frame information of one binary, compiled to sorted rows: from which address on the
// caller's frame is found how. Made once (some 40 ns a row, 8 bytes each) from .eh_frame and
// .debug_frame, looked up by many; immutable, so any thread may read. A row is an address and the
// number of a rule: binaries have some hundred different ones, each kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "unwind/registers.hpp"

namespace stallscope::unwind {

// The bytes are no ELF file that can be unwound, or no table of this version.
class table_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct rule;  // how to find the caller's frame at one address

class table {
 public:
  // Reads the ELF file behind `descriptor` by pread (a file that shrinks gives an error, no
  // SIGBUS); `debug_descriptor`, where it is not -1, is its separate debug file, asked for
  // .debug_frame. Bad entries are left out and counted. Throws table_error, std::system_error.
  static table compile(int descriptor, int debug_descriptor = -1);
  // The same of an image in memory, as the vdso's.
  static table compile(std::span<const std::byte> image);

  // The form that a cache keeps; reading it back checks every number that would be followed.
  [[nodiscard]] std::vector<std::byte> to_bytes() const;
  static table from_bytes(std::span<const std::byte> bytes);

  table(table&&) noexcept;
  table& operator=(table&&) noexcept;
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  ~table();

  [[nodiscard]] architecture arch() const noexcept;
  [[nodiscard]] std::size_t rows() const noexcept;
  [[nodiscard]] std::size_t bad_entries() const noexcept;
  // Share (0..1) of the code described whose frame is found by the frame pointer alone, 0 where
  // nothing is described: near 1 for a binary built with frame pointers (prologues excepted).
  [[nodiscard]] double frame_pointer_share() const noexcept;

  // The file's own addresses (p_vaddr) of an offset in the file, by its loaded segments.
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const noexcept;

 private:
  friend class unwinder;
  friend struct table_reader;
  struct content;
  explicit table(std::unique_ptr<content> made);
  std::unique_ptr<content> content_;
};

}  // namespace stallscope::unwind
