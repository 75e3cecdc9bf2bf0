#include "count/phase_schedule.hpp"

#include <algorithm>
#include <charconv>

namespace stallscope::count {
namespace {

// More than any load announces ahead; a bound of the memory.
constexpr std::size_t max_changes = 1024;

// Returns the time after a mark's word, now without one, nothing if the line is not this mark.
std::optional<std::uint64_t> time_of(std::string_view line, std::string_view word,
                                     std::uint64_t now_ns) {
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  if (line.empty()) return now_ns;
  std::uint64_t at_ns = 0;
  const char* last = line.data() + line.size();
  if (line.front() != ' ') return std::nullopt;
  const auto [end, error] = std::from_chars(line.data() + 1, last, at_ns);
  return error == std::errc{} && end == last ? std::optional{at_ns} : std::nullopt;
}

}  // namespace

bool phase_schedule::add(std::string_view line, std::uint64_t now_ns) {
  if (changes_.size() >= max_changes) return false;
  if (const auto at_ns = time_of(line, "start", now_ns)) {
    if (!running_at_end()) changes_.push_back({true, *at_ns});
    return true;
  }
  const auto at_ns = time_of(line, "stop", now_ns);
  if (at_ns) add_stop(*at_ns);
  return at_ns.has_value();
}

void phase_schedule::close(std::uint64_t now_ns) { add_stop(now_ns); }

void phase_schedule::add_stop(std::uint64_t at_ns) {
  if (!changes_.empty() && !changes_.back().starts) {
    if (changes_.back().marked_ns <= at_ns) return;
    changes_.pop_back();  // ends earlier than announced
  }
  if (!running_at_end()) return;
  if (!changes_.empty() && changes_.back().marked_ns > at_ns) {
    changes_.pop_back();
  } else {
    changes_.push_back({false, at_ns});
  }
}

std::optional<phase_change> phase_schedule::take_due(std::uint64_t now_ns) {
  if (changes_.empty() || changes_.front().marked_ns > now_ns) return std::nullopt;
  const auto change = changes_.front();
  changes_.pop_front();
  running_ = change.starts;
  return change;
}

std::uint64_t phase_schedule::next_ns() const {
  return changes_.empty() ? 0 : std::max<std::uint64_t>(1, changes_.front().marked_ns);
}

bool phase_schedule::running_at_end() const {
  return changes_.empty() ? running_ : changes_.back().starts;
}

}  // namespace stallscope::count
