// The lines of a file descriptor, with a bound on their length.
//
//   line_reader lines(descriptor);
//   while (lines.next()) {
//     if (lines.too_long()) ...  // only its number is known
//     parse(lines.text());       // valid until the next call
//   }
//   if (lines.endless()) ...     // stopped: megabytes without an end of line
//
// Holds one buffer of 2 MiB. read(2) errors are thrown as std::system_error.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace stallscope::text_input {

class line_reader {
 public:
  static constexpr std::size_t max_line_bytes = 1 << 20;
  // A longer line is skipped; if it has no end within this many bytes, reading stops.
  static constexpr std::uint64_t max_skipped_bytes = 256ULL << 20;

  explicit line_reader(int descriptor);

  // Moves to the next line; false at the end of the file, or if the current line is endless.
  bool next();
  // The current line without its end ("\n" or "\r\n"); empty if it is too long.
  std::string_view text() const { return text_; }
  std::uint64_t number() const { return number_; }  // of the current line, from 1
  bool too_long() const { return too_long_; }
  bool endless() const { return endless_; }

 private:
  bool fill();
  bool skip_line();

  static constexpr std::size_t buffer_bytes = 2 * max_line_bytes;
  int descriptor_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::string_view text_;
  std::uint64_t number_ = 0;
  bool too_long_ = false;
  bool endless_ = false;
};

}  // namespace stallscope::text_input
