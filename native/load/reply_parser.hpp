// Splits a stream of RESP2 and RESP3 replies that arrives in pieces; push messages are skipped.
// Bulk contents are skipped, not stored, so memory is constant; depth, lengths and lines are
// bounded. Request files have the same format: arrays of bulk strings.
//
//     while (!bytes.empty()) {
//       bytes.remove_prefix(parser.consume(bytes));
//       if (parser.complete()) count(parser.type(), parser.text());
//     }
//
// Cost: about 20 ns per short reply. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stallscope::load {

class reply_parser {
 public:
  static constexpr std::size_t max_text = 256;
  static constexpr unsigned deepest = 32;
  static constexpr std::uint64_t max_elements = 1U << 20U;
  static constexpr std::uint64_t longest_bulk = std::uint64_t{512} << 20U;
  static constexpr std::uint64_t longest_line = std::uint64_t{64} << 10U;

  // Consumes bytes up to the end of one reply, or all of them, and returns their number. After a
  // complete reply or a failure, the next call starts a new reply.
  std::size_t consume(std::string_view bytes);

  [[nodiscard]] bool complete() const noexcept { return state_ == state::complete; }
  // The input is not RESP or exceeds the bounds.
  [[nodiscard]] bool failed() const noexcept { return state_ == state::failed; }
  // Of a complete reply: type byte, whether it is an error or nil, and the start of its line or
  // bulk string.
  [[nodiscard]] char type() const noexcept { return top_type_; }
  [[nodiscard]] bool is_error() const noexcept { return top_type_ == '-' || top_type_ == '!'; }
  [[nodiscard]] bool is_nil() const noexcept { return nil_; }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_size_}; }

 private:
  enum class state : std::uint8_t { type, line, number, bulk, bulk_end, complete, failed };

  void begin() noexcept;
  void read_type(char type) noexcept;
  std::size_t read_line(std::string_view bytes) noexcept;
  std::size_t read_number(std::string_view bytes) noexcept;
  std::size_t read_bulk(std::string_view bytes) noexcept;
  void read_bulk_end(char byte) noexcept;
  void length_known() noexcept;
  void element_done() noexcept;
  void keep(std::string_view bytes) noexcept;

  state state_ = state::complete;
  bool begun_ = false;
  char type_ = 0;      // type of the current element
  char top_type_ = 0;  // type of the reply
  bool nil_ = false;
  bool negative_ = false;
  bool return_seen_ = false;
  unsigned digits_ = 0;
  unsigned depth_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t left_ = 0;  // remaining bytes of a bulk, or bytes read of a line
  std::uint64_t elements_ = 0;
  std::array<std::uint64_t, deepest> open_{};  // remaining elements of each open aggregate
  std::array<char, max_text> text_{};
  std::size_t text_size_ = 0;
};

}  // namespace stallscope::load
