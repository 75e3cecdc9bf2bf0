#include "perf_script/event_line.hpp"

#include <charconv>

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
      parse_event(line, fields);
      return fields;
    }
    blank = next;
  }
  return std::nullopt;
}

}  // namespace stallscope::perf_script
