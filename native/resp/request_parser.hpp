// Reads requests of the Redis protocol (RESP2 and RESP3 ask alike): arrays of bulk strings, and
// lines typed by hand ("inline"). Incremental: what was read once is not read again when more bytes
// arrive. Words are views into the caller's bytes, nothing is copied; an inline word with quotes is
// unescaped in place. Texts of errors and limits are those of redis 7.0. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::resp {

struct request_limits {
  std::size_t bulk_bytes = std::size_t{512} << 20U;  // one word
  std::size_t words = std::size_t{1} << 20U;
  std::size_t request_bytes = std::size_t{512} << 20U;  // the whole request, with its framing
};

enum class parse_status : std::uint8_t {
  request,     // words() holds one; consumed() bytes of the input belong to it
  nothing,     // consumed() bytes held no request (an empty line, *0): no reply is due
  incomplete,  // more bytes are needed, consumed() is zero
  error,       // error() says why; the connection cannot go on
};

class request_parser {
 public:
  request_parser() = default;
  explicit request_parser(const request_limits& limits) : limits_(limits) {}

  // Looks at the next request. `input` begins where the last consumed one ended, and after
  // `incomplete` holds the same bytes and more, perhaps elsewhere in memory.
  parse_status parse(std::span<char> input);

  // Of the last request; they live as long as the bytes of the input.
  std::span<const std::string_view> words() const { return words_; }
  std::size_t consumed() const { return consumed_; }
  // How many bytes the request has at least, as far as it is known: what to make room for.
  std::size_t bytes_expected() const { return bytes_expected_; }
  // What it holds for many words, sixteen bytes each, which may have come as six; few count
  // nothing.
  std::size_t memory_bytes() const {
    return words_.capacity() <= words_kept ? 0 : words_.capacity() * sizeof(std::string_view);
  }
  // Gives that back, between requests: the last one's words are gone.
  void forget_many_words() {
    if (words_.capacity() > words_kept) words_ = std::vector<std::string_view>();
  }
  // "Protocol error: ..." without the leading "-ERR ".
  const std::string& error() const { return error_; }

  // Clients that have not said the password get small requests only, as redis has it.
  void set_authenticated(bool authenticated) { authenticated_ = authenticated; }

 private:
  static constexpr std::size_t words_kept = 256;

  parse_status parse_array(std::span<char> input);
  parse_status parse_inline(std::span<char> input);
  parse_status begin_array(std::span<const char> input);
  parse_status next_word(std::span<const char> input);
  parse_status begin_word(std::span<const char> input);
  // The number behind the mark that begins the line at position_, or why there is none.
  parse_status read_number(std::span<const char> input, std::string_view what, std::int64_t& found);
  parse_status fail(std::string_view text);
  void reset();
  void rebase(const char* base);

  request_limits limits_;
  bool authenticated_ = true;
  std::vector<std::string_view> words_;
  std::string error_;
  std::size_t consumed_ = 0;
  std::size_t bytes_expected_ = 0;
  // Of the request under way:
  const char* base_ = nullptr;     // where its first byte lay when words_ was filled
  std::size_t position_ = 0;       // all before it is understood
  std::size_t line_searched_ = 0;  // no end of line before it
  std::int64_t words_left_ = -1;   // -1: its first line is not yet read
  std::int64_t word_bytes_ = -1;   // -1: the line of the next word's length is not yet read
  bool finished_ = true;
};

}  // namespace stallscope::resp
