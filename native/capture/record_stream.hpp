// The records of a capture in order, including those in compressed records. Trailing payloads of
// tracing-data and AUX records are skipped. One thread.
//
//   record_stream records{window, range, swap, options};
//   for (record current; records.next(current);) parse(current);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "capture/decompressor.hpp"
#include "capture/read_capture.hpp"
#include "capture/source_window.hpp"

namespace stallscope::capture {

struct record {
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  std::span<const std::byte> payload;  // after the header; valid until the next record
  std::uint64_t offset = 0;            // in the file; within compressed data that of its record
  bool decompressed = false;           // the payload is not in the file in this form
  std::size_t skipped = 0;             // bytes of a copied stack that are missing in the payload
};

// The position of the copied stack in a sample's payload.
struct stack_place {
  std::size_t at = 0;
  std::uint64_t size = 0;
};
// Returns the position from the start of a sample; nullopt without a stack, or if the start is too
// short.
using stack_finder = std::function<std::optional<stack_place>(const record& beginning)>;

struct stream_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;      // the end of the records
  bool end_is_known = false;  // if false, the records end with the source
  bool unfinished = false;    // the writer was killed, so the capture counts as truncated
};

class record_stream {
 public:
  // With `find_stack` the stacks of long samples are skipped, not read.
  record_stream(source_window& window, stream_range range, bool swap, const read_options& options,
                stack_finder find_stack = nullptr);

  // Moves to the next record; false at the end. Throws capture_error if a record is invalid, or cut
  // off and truncation is not allowed.
  bool next(record& into);
  [[nodiscard]] std::optional<std::uint64_t> truncated_at() const { return truncated_at_; }

 private:
  bool next_in_file(record& into);
  std::span<const std::byte> read_record(record& into, std::size_t size);
  std::span<const std::byte> read_around(const stack_place& stack, std::size_t size);
  bool next_decompressed(record& into);
  void start_decompression(const record& compressed);
  void skip_trailing_payload(const record& from);
  bool end_of_records();
  bool end_truncated(std::uint64_t at, const char* what);

  source_window& window_;
  stream_range range_;
  bool swap_;
  bool allow_truncated_;
  stack_finder find_stack_;
  std::vector<std::byte> around_stack_;
  std::uint64_t position_;
  std::optional<std::uint64_t> truncated_at_;

  decompressor decompressor_;
  std::vector<std::byte> decompressed_;
  std::size_t decompressed_from_ = 0;
  std::size_t decompressed_to_ = 0;
  bool decompressing_ = false;
  std::uint64_t compressed_offset_ = 0;
};

}  // namespace stallscope::capture
