#include "python_frames/code_table.hpp"

#include <algorithm>

namespace stallscope::python_frames {
namespace {

constexpr std::uint64_t longest_text_bytes = 4096;
constexpr std::uint64_t longest_line_table_bytes = std::uint64_t{256} << 10U;
// Line tables that are read for a single stack.
constexpr std::uint64_t max_new_line_table_bytes = std::uint64_t{4} << 20U;
constexpr std::uint64_t max_instructions = std::uint64_t{1} << 24U;
constexpr std::uint64_t instruction_bytes = 2;
// Limit for programs that create code without bound. Beyond it the table is cleared and code is
// read again.
constexpr std::size_t max_known = 100'000;

// The state bits of a string: Include/cpython/unicodeobject.h of 3.11 to 3.14.
struct text_state {
  explicit text_state(std::uint32_t bits) noexcept
      : width{(bits >> 2U) & 7U},
        compact{((bits >> 5U) & 1U) != 0},
        ascii{((bits >> 6U) & 1U) != 0} {}
  std::uint32_t width;  // bytes per character: 1, 2 or 4
  bool compact;
  bool ascii;
};

std::u32string widened(std::span<const std::byte> bytes, std::size_t width) {
  std::u32string text;
  text.reserve(bytes.size() / width);
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    std::uint32_t character = 0;
    std::memcpy(&character, bytes.subspan(at, width).data(), width);
    text.push_back(static_cast<char32_t>(character));
  }
  return text;
}

}  // namespace

code_table::code_table(const process_reading::process_memory& memory, const interpreter& python,
                       std::shared_ptr<process_reading::numbering> numbers)
    : memory_{&memory}, interpreter_{&python}, numbers_{std::move(numbers)} {
  const auto& code = python.fields.code;
  header_bytes_ =
      static_cast<std::size_t>(std::max({code.file_name, code.qualified_name, code.line_table,
                                         code.first_line, python.fields.object.variable_size}) +
                               sizeof(std::uint64_t));
}

code_table::identity code_table::identity_of(std::span<const std::byte> header) const {
  const auto& code = interpreter_->fields.code;
  const auto& object = interpreter_->fields.object;
  return {process_reading::value_at<std::uint64_t>(header, object.type),
          process_reading::value_at<std::uint64_t>(header, object.variable_size),
          process_reading::value_at<std::uint64_t>(header, code.file_name),
          process_reading::value_at<std::uint64_t>(header, code.qualified_name),
          process_reading::value_at<std::uint64_t>(header, code.line_table),
          process_reading::value_at<std::int32_t>(header, code.first_line)};
}

std::span<const process_reading::memory_range> code_table::header_ranges(
    std::span<const std::uint64_t> addresses) {
  headers_.resize(addresses.size() * header_bytes_);
  header_ranges_.clear();
  for (std::size_t i = 0; i < addresses.size(); ++i)
    header_ranges_.push_back(
        {addresses[i], std::span{headers_}.subspan(i * header_bytes_, header_bytes_)});
  return header_ranges_;
}

std::optional<std::vector<code_table::known_code>> code_table::look_up(
    std::span<const std::uint64_t> addresses, std::vector<code_facts>& fresh) {
  if (known_.size() > max_known) known_.clear();
  std::vector<known_code> codes;
  codes.reserve(addresses.size());
  new_line_table_bytes_ = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto current = identity_of(header_ranges_[i].into);
    if (current.type != interpreter_->code_type || current.size > max_instructions)
      return std::nullopt;
    auto& known = known_[addresses[i]];
    if (known.code.number == 0 || known.code_identity != current) {
      auto facts = read_facts(current);
      if (!facts) return std::nullopt;
      known = {current, {numbers_->next(), current.size * instruction_bytes}};
      facts->number = known.code.number;
      fresh.push_back(std::move(*facts));
    }
    codes.push_back(known.code);
  }
  return codes;
}

std::optional<code_facts> code_table::read_facts(const identity& code) {
  auto name = read_text(code.qualified_name);
  auto file = read_text(code.file_name);
  if (!name || !file) return std::nullopt;
  return code_facts{0, std::move(*name), std::move(*file), code.first_line,
                    read_bytes(code.line_table)};
}

std::optional<std::u32string> code_table::read_text(std::uint64_t address) const {
  const auto& object = interpreter_->fields.object;
  std::vector<std::byte> header(static_cast<std::size_t>(object.text_state) +
                                sizeof(std::uint32_t));
  if (!memory_->read(address, header)) return std::nullopt;
  const text_state state{process_reading::value_at<std::uint32_t>(header, object.text_state)};
  const bool known_width = state.width == 1 || state.width == 2 || state.width == 4;
  if (!state.compact || !known_width) return std::nullopt;
  const auto length = process_reading::value_at<std::uint64_t>(header, object.text_length);
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(std::min(length, longest_text_bytes / state.width) * state.width));
  const auto content = state.ascii ? object.ascii_text_content : object.compact_text_content;
  if (!bytes.empty() && !memory_->read(address + content, bytes)) return std::nullopt;
  return widened(bytes, state.width);
}

std::vector<std::byte> code_table::read_bytes(std::uint64_t address) {
  const auto& object = interpreter_->fields.object;
  std::uint64_t size = 0;
  std::vector<std::byte> bytes;
  if (!memory_->read_value(address + object.variable_size, size) ||
      size > longest_line_table_bytes || new_line_table_bytes_ > max_new_line_table_bytes)
    return bytes;
  new_line_table_bytes_ += size;
  bytes.resize(static_cast<std::size_t>(size));
  if (!bytes.empty() && !memory_->read(address + object.bytes_content, bytes)) bytes.clear();
  return bytes;
}

}  // namespace stallscope::python_frames
