// Finds where each RESP reply ends in bytes that come in pieces, and says what it was: RESP2 and
// RESP3, whose push messages are passed over. Bulk contents are skipped, not kept, so that memory
// is fixed whatever a target sends; depth, lengths and lines are bounded. Costs some 20 ns a short
// reply. The format of request files is the same: arrays of bulk strings. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stallscope::load {

class reply_parser {
 public:
  static constexpr std::size_t most_text = 256;
  static constexpr unsigned deepest = 32;
  static constexpr std::uint64_t most_elements = 1U << 20U;
  static constexpr std::uint64_t longest_bulk = std::uint64_t{512} << 20U;
  static constexpr std::uint64_t longest_line = std::uint64_t{64} << 10U;

  // Takes bytes up to the end of one reply, or all; how many. After a reply that was complete, or a
  // failure, the next call begins anew.
  std::size_t consume(std::string_view bytes);

  [[nodiscard]] bool complete() const noexcept { return state_ == state::complete; }
  // What came is no RESP, or beyond the bounds.
  [[nodiscard]] bool failed() const noexcept { return state_ == state::failed; }
  // Of the complete reply: its type's character, whether it is an error or nil, and how its own
  // line or bulk begins.
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
  char type_ = 0;      // of the element being read
  char top_type_ = 0;  // of the reply
  bool nil_ = false;
  bool negative_ = false;
  bool return_seen_ = false;
  unsigned digits_ = 0;
  unsigned depth_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t left_ = 0;  // bytes of a bulk, or bytes read of a line
  std::uint64_t elements_ = 0;
  std::array<std::uint64_t, deepest> open_{};  // elements to come, of each aggregate
  std::array<char, most_text> text_{};
  std::size_t text_size_ = 0;
};

}  // namespace stallscope::load
