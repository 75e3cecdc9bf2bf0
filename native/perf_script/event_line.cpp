#include "perf_script/event_line.hpp"

#include <charconv>
#include <limits>

namespace stallscope::perf_script {
namespace {

bool is_blank(char character) { return character == ' ' || character == '\t'; }
bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::size_t skip_blanks(std::string_view line, std::size_t begin) {
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  return begin;
}

std::size_t skip_digits(std::string_view line, std::size_t begin) {
  while (begin < line.size() && is_digit(line[begin])) ++begin;
  return begin;
}

// Reads "THREAD " or "PROCESS/THREAD " at `begin`.
bool parse_ids(std::string_view line, std::size_t begin, event_line& fields) {
  const std::size_t first_end = skip_digits(line, begin);
  if (first_end == begin) return false;
  const std::size_t second = line.find_first_not_of('/', first_end);
  if (second == std::string_view::npos) return false;
  const std::size_t second_end = skip_digits(line, second);
  if (second_end == line.size() || !is_blank(line[second_end])) return false;
  const std::string_view number = line.substr(begin, first_end - begin);
  if (second_end > second) {
    fields.process = number;
    fields.thread = line.substr(second, second_end - second);
  } else {
    fields.thread = number;
  }
  return true;
}

// Returns the time of a word "SECONDS.FRACTION:" in nanoseconds; digits beyond the ninth are
// dropped.
std::optional<std::uint64_t> parse_time(std::string_view word) {
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  if (word.empty() || word.back() != ':') return std::nullopt;
  word.remove_suffix(1);
  const std::size_t point = skip_digits(word, 0);
  if (point == 0 || point == word.size() || word[point] != '.') return std::nullopt;
  const std::size_t end = skip_digits(word, point + 1);
  if (end == point + 1 || end != word.size()) return std::nullopt;
  std::uint64_t seconds = 0;
  const auto result = std::from_chars(word.data(), word.data() + point, seconds);
  if (result.ec != std::errc{} || seconds > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  std::uint64_t fraction_ns = 0;
  std::uint64_t digit_ns = ns_per_s;
  for (std::size_t index = point + 1; index < end && digit_ns > 1; ++index) {
    digit_ns /= 10;
    fraction_ns += static_cast<std::uint64_t>(word[index] - '0') * digit_ns;
  }
  return seconds * ns_per_s + fraction_ns;
}

// Returns the first word after the ids that is a time. The CPU in brackets may precede it.
std::optional<std::uint64_t> find_time(std::string_view line, std::size_t begin) {
  constexpr int max_words = 4;  // the CPU, and flags of the thread
  for (int word = 0; word < max_words && begin < line.size(); ++word) {
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (const auto time_ns = parse_time(line.substr(begin, end - begin))) return time_ns;
    begin = skip_blanks(line, end);
  }
  return std::nullopt;
}

// Reads the period and the event of a line that ends in ": PERIOD EVENT:" or ": EVENT:".
void parse_event(std::string_view line, event_line& fields) {
  const std::size_t last = line.find_last_not_of(" \t");
  if (last == std::string_view::npos || line[last] != ':') return;
  const std::string_view text = line.substr(0, last);
  const std::size_t blank = text.find_last_of(" \t");
  if (blank == std::string_view::npos || blank + 1 == text.size()) return;
  std::size_t end = text.find_last_not_of(" \t", blank);
  if (end == std::string_view::npos) return;
  const std::size_t digits_end = end + 1;
  std::size_t digits = digits_end;
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  const std::size_t colon =
      digits == 0 ? std::string_view::npos : text.find_last_not_of(" \t", digits - 1);
  if (colon == std::string_view::npos || text[colon] != ':') return;
  fields.event = text.substr(blank + 1);
  if (digits == digits_end) return;
  std::uint64_t period = 0;
  const auto result = std::from_chars(text.data() + digits, text.data() + digits_end, period);
  if (result.ec == std::errc{} && period > 0) fields.period = period;
}

}  // namespace

std::optional<event_line> parse_event_line(std::string_view line) {
  if (line.empty() || is_blank(line.front())) return std::nullopt;
  event_line fields;
  for (std::size_t blank = 1; blank < line.size();) {
    if (!is_blank(line[blank])) {
      ++blank;
      continue;
    }
    const std::size_t next = skip_blanks(line, blank);
    if (parse_ids(line, next, fields)) {
      fields.command = line.substr(0, blank);
      const auto ids_end =
          static_cast<std::size_t>(fields.thread.data() + fields.thread.size() - line.data());
      fields.time_ns = find_time(line, skip_blanks(line, ids_end));
      parse_event(line, fields);
      return fields;
    }
    blank = next;
  }
  return std::nullopt;
}

}  // namespace stallscope::perf_script
