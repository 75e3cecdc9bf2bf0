#include "php_frames/function_table.hpp"

#include <algorithm>
#include <array>

#include "process_reading/utf8.hpp"

namespace stallscope::php_frames {
namespace {

using process_reading::memory_range;
using process_reading::value_at;

constexpr std::size_t max_functions = 50'000;
constexpr std::size_t max_text_bytes = 4096;
constexpr std::size_t head_bytes = 24;
constexpr std::uint32_t string_hash = 8;

}  // namespace

std::size_t function_table::hash_of_fields::operator()(
    const function_fields& fields) const noexcept {
  const std::array<std::uint64_t, 4> words{fields.name, fields.scope, fields.filename,
                                           fields.first_line};
  std::size_t hash = fields.type;
  for (const auto word : words) hash = (hash ^ std::hash<std::uint64_t>{}(word)) * 0x100000001b3U;
  return hash;
}

std::vector<std::optional<function_fields>> function_table::fields_of(
    std::span<const std::uint64_t> addresses) const {
  const std::size_t bytes = fields_.function_filename + 16;
  std::vector<std::byte> contents(addresses.size() * bytes);
  std::vector<memory_range> ranges;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    ranges.push_back({addresses[i], std::span{contents}.subspan(i * bytes, bytes)});
  const bool all = memory_.read(ranges);
  std::vector<std::optional<function_fields>> result;
  for (const auto& range : ranges) {
    if (!all && !memory_.read(range.address, range.into)) {
      result.emplace_back();
      continue;
    }
    function_fields function{.type = value_at<std::uint8_t>(range.into, fields_.function_type),
                             .name = value_at<std::uint64_t>(range.into, fields_.function_name),
                             .scope = value_at<std::uint64_t>(range.into, fields_.function_scope)};
    if (function.type == fields_.user_function || function.type == fields_.eval_code) {
      function.filename = value_at<std::uint64_t>(range.into, fields_.function_filename);
      function.first_line = value_at<std::uint32_t>(range.into, fields_.function_filename + 8);
      function.last_line = value_at<std::uint32_t>(range.into, fields_.function_filename + 12);
    }
    result.emplace_back(function);
  }
  return result;
}

std::vector<named_function> function_table::at(std::span<const std::uint64_t> addresses) {
  const auto functions = fields_of(addresses);
  std::vector<std::byte> heads(2 * addresses.size() * head_bytes);
  std::vector<memory_range> ranges;
  const auto head_at = [&](std::size_t index) {
    return std::span{heads}.subspan(index * head_bytes, head_bytes);
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i]) continue;
    if (functions[i]->name != 0)
      ranges.push_back({functions[i]->name + string_hash, head_at(2 * i)});
    if (functions[i]->filename != 0)
      ranges.push_back({functions[i]->filename + string_hash, head_at(2 * i + 1)});
  }
  const bool all = memory_.read(ranges);
  if (!all) {
    for (const auto& range : ranges) {
      if (!memory_.read(range.address, range.into))
        std::fill(range.into.begin(), range.into.end(), std::byte{0});
    }
  }
  const auto decoded = [&](std::size_t index) {
    const auto bytes = head_at(index);
    return string_head{value_at<std::uint64_t>(bytes, 0), value_at<std::uint64_t>(bytes, 8),
                       value_at<std::uint64_t>(bytes, 16)};
  };
  std::vector<named_function> result;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i]) {
      result.push_back({.id = unnamed()});
      continue;
    }
    const auto& function = *functions[i];
    const bool user = function.type == fields_.user_function || function.type == fields_.eval_code;
    result.push_back({id_of(function, decoded(2 * i), decoded(2 * i + 1)), user,
                      function.first_line, function.last_line});
  }
  return result;
}

std::optional<std::u32string> function_table::text_at(std::uint64_t string) const {
  std::uint64_t length = 0;
  if (!memory_.read_value(string + fields_.string_length, length) || length == 0 ||
      length > max_text_bytes)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(length), '\0');
  if (!memory_.read(string + fields_.string_text, std::as_writable_bytes(std::span{text})))
    return std::nullopt;
  // The name of a class at run time, or of code of eval, continues after a zero.
  return process_reading::text_of_utf8(std::string_view{text}.substr(0, text.find('\0')));
}

std::uint64_t function_table::id_of(const function_fields& function, const string_head& name,
                                    const string_head& filename) {
  if (known_.size() > max_functions) known_.clear();
  auto& cached = known_[function];
  if (cached.id != 0 && cached.name == name && cached.filename == filename) return cached.id;
  const bool user = function.type == fields_.user_function || function.type == fields_.eval_code;
  const bool internal = function.type == 1;
  managed_frames::function_facts facts{.line = function.first_line,
                                       .kind = user ? "interpreted" : "native"};
  auto text = function.name != 0 ? text_at(function.name) : std::nullopt;
  const auto file = function.filename != 0 ? text_at(function.filename) : std::nullopt;
  const bool plausible = user ? file && function.first_line <= function.last_line : internal;
  if (!plausible || (function.name != 0 && !text)) return unnamed();
  std::uint64_t class_name = 0;
  if (text && function.scope != 0) {
    const auto scope = memory_.read_value(function.scope + fields_.class_name, class_name)
                           ? text_at(class_name)
                           : std::nullopt;
    if (!scope) return unnamed();
    text = *scope + U"::" + *text;
  }
  facts.name = text.value_or(U"{main}");
  facts.file = file.value_or(U"");
  cached = {name, filename, log_->add(pid_, facts)};
  return cached.id;
}

std::uint64_t function_table::unnamed() {
  if (unnamed_ == 0)
    unnamed_ = log_->add(pid_, {.kind = "interpreted", .reason = "function not readable"});
  return unnamed_;
}

}  // namespace stallscope::php_frames
