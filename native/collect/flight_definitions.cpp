#include "collect/flight_definitions.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace stallscope::collect {
namespace {

// Lines of waits.jsonl that hold for the rest of the recording.
constexpr std::string_view lasting_types[] = {"source", "descriptor", "mode"};

template <class Take>
void for_each_kept_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const auto size = std::min(text.find('\n'), text.size() - 1) + 1;
    take(text.substr(0, size));
    text.remove_prefix(size);
  }
}

std::uint64_t number_at(std::string_view text, std::size_t place) {
  std::uint64_t value = 0;
  std::from_chars(text.data() + std::min(place, text.size()), text.data() + text.size(), value);
  return value;
}

// The numbers in the list that follows `name`. Of lists in it, `place` is the number that counts.
enum class list_place : std::uint8_t { first, last };

std::vector<std::uint64_t> numbers_after(std::string_view line, std::string_view name,
                                         list_place place) {
  std::vector<std::uint64_t> numbers;
  const auto begin = line.find(name);
  if (begin == std::string_view::npos) return numbers;
  int depth = 0;
  bool first = true;
  std::uint64_t value = 0;
  bool has_value = false;
  for (auto at = begin + name.size(); at < line.size(); ++at) {
    const char c = line[at];
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && (at == 0 || line[at - 1] < '0' || line[at - 1] > '9')) {
      if (depth == 1 || place == list_place::last || first) {
        value = number_at(line, at);
        has_value = true;
      }
      first = false;
    }
    if (c == '[') {
      ++depth;
      first = true;
    }
    if (c != ']' && !(c == ',' && depth == 1)) continue;
    if (has_value) numbers.push_back(value);
    has_value = false;
    if (c == ']' && --depth <= 0) break;
  }
  return numbers;
}

}  // namespace

flight_definitions::line_kind flight_definitions::kind_of(std::string_view line) {
  if (line.starts_with("{\"t\":") || line.starts_with("{\"counts\":")) return line_kind::moment;
  if (line.starts_with("{\"stack\":")) return line_kind::stack;
  if (line.starts_with("{\"code\":") || line.starts_with("{\"function\":")) return line_kind::code;
  if (line.starts_with("{\"interpreter\":") || line.starts_with("{\"runtime\":"))
    return line_kind::process;
  // In a text the quotes have backslashes.
  constexpr std::string_view type = "\"type\":\"";
  const auto place = line.find(type);
  if (place == std::string_view::npos) return line_kind::head;
  const auto word = line.substr(place + type.size());
  const bool lasting = std::ranges::any_of(lasting_types, [word](std::string_view name) {
    return word.starts_with(name) && word.substr(name.size()).starts_with('"');
  });
  return lasting ? line_kind::head : line_kind::moment;
}

std::vector<std::uint64_t> flight_definitions::stacks_of(std::string_view line) {
  if (!line.starts_with("{\"t\":")) return {};
  constexpr std::string_view stack_key = ",\"stack\":";
  if (const auto place = line.find(stack_key); place != std::string_view::npos)
    return {number_at(line, place + stack_key.size())};
  auto stacks = numbers_after(line, "\"segments\":", list_place::last);
  const auto runs = numbers_after(line, "\"runs\":", list_place::last);
  stacks.insert(stacks.end(), runs.begin(), runs.end());
  return stacks;
}

std::optional<std::uint64_t> flight_definitions::process_of(std::string_view line) {
  constexpr std::string_view pid_key = ",\"pid\":";
  const auto place = line.find(pid_key);
  if (!line.starts_with("{\"t\":") || place == std::string_view::npos) return std::nullopt;
  return number_at(line, place + pid_key.size());
}

std::vector<std::uint64_t> flight_definitions::code_of(std::string_view line) {
  return numbers_after(line, "\"frames\":", list_place::first);
}

void flight_definitions::define(line_kind kind, std::string_view line) {
  // Lines without a number are identified by their order.
  const auto number = kind == line_kind::head ? order_ : number_at(line, line.find(':') + 1);
  auto& entry = definitions_[{kind, number}];
  if (entry.text.empty()) entry.order = order_++;
  size_bytes_ += line.size() - entry.text.size();
  entry.text = line;
  entry.used = now_;
}

void flight_definitions::use(std::string_view line) {
  const auto mark = [this](line_kind kind, std::uint64_t number) {
    const auto entry = definitions_.find({kind, number});
    if (entry != definitions_.end()) entry->second.used = now_;
  };
  for (const auto stack : stacks_of(line)) mark(line_kind::stack, stack);
  if (const auto pid = process_of(line)) mark(line_kind::process, *pid);
}

void flight_definitions::take(std::string_view lines) {
  ++now_;
  for_each_kept_line(lines, [this](std::string_view line) {
    const auto kind = kind_of(line);
    if (kind == line_kind::moment)
      use(line);
    else
      define(kind, line);
  });
}

void flight_definitions::drop(const key& place) {
  const auto entry = definitions_.find(place);
  size_bytes_ -= entry->second.text.size();
  definitions_.erase(entry);
  ++dropped_;
}

void flight_definitions::compact(std::string_view kept) {
  ++now_;
  std::map<std::uint64_t, std::size_t> uses_of_code;
  for_each_kept_line(kept, [this, &uses_of_code](std::string_view line) {
    use(line);
    if (kind_of(line) != line_kind::stack) return;
    for (const auto code : code_of(line)) ++uses_of_code[code];
  });
  std::vector<std::pair<std::uint64_t, key>> by_use;
  for (const auto& [place, entry] : definitions_) {
    if (place.first == line_kind::stack) {
      for (const auto code : code_of(entry.text)) ++uses_of_code[code];
    }
    if (place.first == line_kind::stack || place.first == line_kind::process)
      by_use.emplace_back(entry.used, place);
  }
  drop_unused_code(uses_of_code);
  std::ranges::sort(by_use);
  for (const auto& [used, place] : by_use) {
    if (used == now_ || 2 * size_bytes_ <= max_bytes_) break;
    const auto code_of_stack = code_of(definitions_.at(place).text);
    drop(place);
    for (const auto code : code_of_stack) {
      const key of_code{line_kind::code, code};
      if (--uses_of_code[code] == 0 && definitions_.contains(of_code)) drop(of_code);
    }
  }
}

void flight_definitions::drop_unused_code(const std::map<std::uint64_t, std::size_t>& uses) {
  std::vector<key> unused;
  for (const auto& [place, entry] : definitions_) {
    if (place.first == line_kind::code && !uses.contains(place.second)) unused.push_back(place);
  }
  for (const auto& place : unused) drop(place);
}

std::string flight_definitions::text_with(std::string_view kept) {
  std::vector<const definition*> ordered;
  for (const auto& [place, entry] : definitions_) ordered.push_back(&entry);
  std::ranges::sort(ordered, {}, &definition::order);
  std::string all;
  for (const auto* entry : ordered) all += entry->text;
  all += kept;
  if (dropped_ == 0) return all;
  std::set<key> known;
  std::string text;
  for_each_kept_line(all, [this, &known, &text](std::string_view line) {
    const auto kind = kind_of(line);
    const auto defined = [&known](line_kind of) {
      return [&known, of](std::uint64_t number) { return known.contains({of, number}); };
    };
    if ((kind == line_kind::moment &&
         !std::ranges::all_of(stacks_of(line), defined(line_kind::stack))) ||
        (kind == line_kind::stack &&
         !std::ranges::all_of(code_of(line), defined(line_kind::code)))) {
      ++dropped_;
      return;
    }
    if (kind == line_kind::stack || kind == line_kind::code)
      known.insert({kind, number_at(line, line.find(':') + 1)});
    text += line;
  });
  return text;
}

}  // namespace stallscope::collect
