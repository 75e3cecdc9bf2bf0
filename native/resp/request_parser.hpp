// Parses requests of the Redis protocol (RESP2 and RESP3 requests are the same): arrays of bulk
// strings, and inline commands.
//
//     request_parser parser;
//     while (parser.parse(input.content()) == parse_status::request) {
//       input.consume(parser.consumed());
//       execute(parser.words());
//     }
//
// Incremental: bytes that were parsed are not parsed again when more bytes arrive. Words are views
// into the caller's bytes and nothing is copied; an inline word with quotes is unescaped in place.
// Error texts and limits are those of redis 7.0. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::resp {

struct request_limits {
  std::size_t bulk_bytes = std::size_t{512} << 20U;  // of one word
  std::size_t words = std::size_t{1} << 20U;
  std::size_t request_bytes = std::size_t{512} << 20U;  // of the whole request, framing included
};

enum class parse_status : std::uint8_t {
  request,     // words() holds a request of consumed() bytes
  nothing,     // consumed() bytes held no request (an empty line, *0); no reply is due
  incomplete,  // more bytes are needed, consumed() is zero
  error,       // error() gives the reason; the connection cannot continue
};

class request_parser {
 public:
  request_parser() = default;
  explicit request_parser(const request_limits& limits) : limits_(limits) {}

  // Parses the next request. `input` starts where the last consumed request ended. After
  // `incomplete`, the next call passes the same bytes and more, possibly at another address.
  parse_status parse(std::span<char> input);

  // The words of the last request, valid as long as the input bytes.
  std::span<const std::string_view> words() const { return words_; }
  std::size_t consumed() const { return consumed_; }
  // Lower bound of the size of the current request, as far as known: the room that the caller
  // should reserve.
  std::size_t bytes_expected() const { return bytes_expected_; }
  // Memory held for long word lists (16 bytes per word, which may have arrived as six bytes). Short
  // lists count as zero.
  std::size_t memory_bytes() const {
    return words_.capacity() <= words_kept ? 0 : words_.capacity() * sizeof(std::string_view);
  }
  // Frees that memory between requests. Invalidates words().
  void release_word_memory() {
    if (words_.capacity() > words_kept) words_ = std::vector<std::string_view>();
  }
  // The text "Protocol error: ...", without the leading "-ERR ".
  const std::string& error() const { return error_; }

  // Unauthenticated clients may send small requests only, as in redis.
  void set_authenticated(bool authenticated) { authenticated_ = authenticated; }

 private:
  static constexpr std::size_t words_kept = 256;

  parse_status parse_array(std::span<char> input);
  parse_status parse_inline(std::span<char> input);
  parse_status begin_array(std::span<const char> input);
  parse_status next_word(std::span<const char> input);
  parse_status begin_word(std::span<const char> input);
  // Reads the number after the type byte of the line at position_.
  parse_status read_number(std::span<const char> input, std::string_view what, std::int64_t& value);
  parse_status fail(std::string_view text);
  void reset();
  void rebase(const char* base);

  request_limits limits_;
  bool authenticated_ = true;
  std::vector<std::string_view> words_;
  std::string error_;
  std::size_t consumed_ = 0;
  std::size_t bytes_expected_ = 0;
  // State of the current request:
  const char* base_ = nullptr;     // address of its first byte when words_ was filled
  std::size_t position_ = 0;       // everything before it is parsed
  std::size_t line_searched_ = 0;  // no line end before it
  std::int64_t words_left_ = -1;   // -1: the first line is not read yet
  std::int64_t word_bytes_ = -1;   // -1: the length line of the next word is not read yet
  bool finished_ = true;
};

}  // namespace stallscope::resp
