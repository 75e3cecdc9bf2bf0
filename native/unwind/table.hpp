// The call frame information of a binary, compiled to sorted rows from .eh_frame and .debug_frame.
// A row is an address and the number of a rule; a binary has some hundred distinct rules. Compiling
// costs about 40 ns per row, a row takes 8 bytes. A table is immutable, so any thread may read it.
//  const table rows = table::compile(descriptor);
//  const auto address = rows.address_of(file_offset);
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

// The bytes are not an ELF file with unwind information, or not a table of this version.
class table_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct rule;  // how to recover the caller's frame

class table {
 public:
  // Compiles the ELF file behind `descriptor`. Reads with pread, so a file that shrinks causes an
  // error and no SIGBUS. `debug_descriptor` is the separate debug file with .debug_frame, -1 for
  // none. Invalid entries are skipped and counted. Throws table_error and std::system_error.
  static table compile(int descriptor, int debug_descriptor = -1);
  // Compiles an image in memory, such as the vdso.
  static table compile(std::span<const std::byte> image);

  // The serialized form for caches. from_bytes validates every number and throws table_error.
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
  // Share (0..1) of the described code whose caller frame the frame pointer alone describes, 0 if
  // no code is described. Near 1 for a binary built with frame pointers (prologues excluded).
  [[nodiscard]] double frame_pointer_share() const noexcept;

  // Returns the address (p_vaddr) of a file offset in a loaded segment.
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const noexcept;

 private:
  friend class unwinder;
  friend struct table_reader;
  struct content;
  explicit table(std::unique_ptr<content> source);
  std::unique_ptr<content> content_;
};

}  // namespace stallscope::unwind
