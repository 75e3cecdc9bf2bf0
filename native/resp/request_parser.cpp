#include "resp/request_parser.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "resp/inline_words.hpp"
#include "resp/integer.hpp"

namespace stallscope::resp {

namespace {

constexpr std::size_t max_line_bytes = std::size_t{64} << 10U;
constexpr std::int64_t max_words_unauthenticated = 10;
constexpr std::int64_t max_bulk_bytes_unauthenticated = 16384;

std::size_t find(std::span<const char> input, char byte, std::size_t from) {
  if (from >= input.size()) return std::string_view::npos;
  const void* value = std::memchr(input.data() + from, byte, input.size() - from);
  if (value == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(value) - input.data());
}

// Escapes a byte for an error text of one line.
std::string shown(char byte) { return {byte == '\r' || byte == '\n' ? ' ' : byte}; }

}  // namespace

parse_status request_parser::parse(std::span<char> input) {
  consumed_ = 0;
  if (finished_) reset();
  if (input.empty()) return parse_status::incomplete;
  if (input.data() != base_) rebase(input.data());
  const parse_status status = input[0] == '*' ? parse_array(input) : parse_inline(input);
  finished_ = status == parse_status::request || status == parse_status::nothing;
  if (finished_) consumed_ = position_;
  return status;
}

void request_parser::reset() {
  words_.clear();
  release_word_memory();
  position_ = line_searched_ = bytes_expected_ = 0;
  words_left_ = word_bytes_ = -1;
  finished_ = false;
}

void request_parser::rebase(const char* base) {
  for (std::string_view& word : words_) word = {base + (word.data() - base_), word.size()};
  base_ = base;
}

parse_status request_parser::fail(std::string_view text) {
  error_ = "Protocol error: ";
  error_ += text;
  return parse_status::error;
}

parse_status request_parser::parse_array(std::span<char> input) {
  if (words_left_ < 0) {
    const parse_status status = begin_array(input);
    if (status != parse_status::request) return status;
  }
  while (words_left_ > 0) {
    const parse_status status = next_word(input);
    if (status != parse_status::request) return status;
    --words_left_;
  }
  return parse_status::request;
}

parse_status request_parser::begin_array(std::span<const char> input) {
  std::int64_t count = 0;
  const parse_status status = read_number(input, "mbulk count", count);
  if (status == parse_status::nothing) return fail("invalid multibulk length");
  if (status != parse_status::request) return status;
  if (count > std::numeric_limits<std::int32_t>::max()) return fail("invalid multibulk length");
  if (!authenticated_ && count > max_words_unauthenticated) {
    return fail("unauthenticated multibulk length");
  }
  if (count > static_cast<std::int64_t>(limits_.words)) return fail("invalid multibulk length");
  if (count <= 0) return parse_status::nothing;
  words_left_ = count;
  return parse_status::request;
}

parse_status request_parser::next_word(std::span<const char> input) {
  if (word_bytes_ < 0) {
    const parse_status status = begin_word(input);
    if (status != parse_status::request) return status;
  }
  // As in redis, any two bytes after a word count as its line end.
  const auto bytes = static_cast<std::size_t>(word_bytes_);
  bytes_expected_ = position_ + bytes + 2;
  if (input.size() < bytes_expected_) return parse_status::incomplete;
  words_.emplace_back(input.data() + position_, bytes);
  position_ = line_searched_ = bytes_expected_;
  word_bytes_ = -1;
  return parse_status::request;
}

parse_status request_parser::begin_word(std::span<const char> input) {
  if (position_ >= input.size()) return parse_status::incomplete;
  const std::size_t start = position_;
  std::int64_t bytes = 0;
  const parse_status status = read_number(input, "bulk count", bytes);
  if (status == parse_status::incomplete || status == parse_status::error) return status;
  if (input[start] != '$') return fail("expected '$', got '" + shown(input[start]) + "'");
  const bool unreadable = status == parse_status::nothing || bytes < 0;
  if (unreadable || bytes > static_cast<std::int64_t>(limits_.bulk_bytes)) {
    return fail("invalid bulk length");
  }
  if (!authenticated_ && bytes > max_bulk_bytes_unauthenticated) {
    return fail("unauthenticated bulk length");
  }
  if (position_ + static_cast<std::size_t>(bytes) + 2 > limits_.request_bytes) {
    return fail("request too large");
  }
  word_bytes_ = bytes;
  return parse_status::request;
}

// request: the number was read. nothing: the line holds no number. incomplete: the line is not
// complete.
parse_status request_parser::read_number(std::span<const char> input, std::string_view what,
                                         std::int64_t& value) {
  const std::size_t end = find(input, '\r', std::max(position_, line_searched_));
  if (end == std::string_view::npos || end + 1 >= input.size()) {
    line_searched_ = end == std::string_view::npos ? input.size() : end;
    if (line_searched_ - position_ > max_line_bytes) {
      return fail("too big " + std::string(what) + " string");
    }
    return parse_status::incomplete;
  }
  const std::string_view line(input.data() + position_, end - position_);
  const auto number = to_integer(line.substr(line.empty() ? 0 : 1));
  position_ = line_searched_ = end + 2;
  if (!number) return parse_status::nothing;
  value = *number;
  return parse_status::request;
}

parse_status request_parser::parse_inline(std::span<char> input) {
  const std::size_t end = find(input, '\n', line_searched_);
  const bool endless = end == std::string_view::npos;
  if ((endless ? input.size() : end) > max_line_bytes) return fail("too big inline request");
  if (endless) {
    line_searched_ = input.size();
    return parse_status::incomplete;
  }
  position_ = end + 1;
  const std::size_t line_bytes = end > 0 && input[end - 1] == '\r' ? end - 1 : end;
  if (!split_inline(input.first(line_bytes), words_)) return fail("unbalanced quotes in request");
  return words_.empty() ? parse_status::nothing : parse_status::request;
}

}  // namespace stallscope::resp
