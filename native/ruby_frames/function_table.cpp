#include "ruby_frames/function_table.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

namespace stallscope::ruby_frames {
namespace {

using process_reading::memory_range;
using process_reading::value_at;

constexpr std::size_t max_functions = 50'000;
constexpr std::uint32_t max_words = 1U << 20U;
constexpr std::uint32_t max_lines = 1U << 18U;

std::span<std::byte> bytes_of(std::uint64_t& word) {
  return std::as_writable_bytes(std::span{&word, 1});
}

}  // namespace

std::size_t function_table::hash_of_code::operator()(const executed_code& code) const noexcept {
  return std::hash<std::uint64_t>{}(code.sequence) * 31U ^ std::hash<std::uint64_t>{}(code.method);
}

// Reads the bodies at the addresses that they had last, so that one call is enough.
bool function_table::read_identities(std::span<const executed_code> codes,
                                     std::span<identity> into) const {
  std::vector<memory_range> ranges;
  std::vector<std::uint64_t> bodies(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto& code = codes[i];
    auto& now = into[i];
    const auto known = known_.find(code);
    if (code.sequence != 0) {
      if (known == known_.end()) return false;
      bodies[i] = known->second.now.body;
      ranges.push_back({code.sequence + fields_.iseq_body, bytes_of(now.body)});
      ranges.push_back({bodies[i] + fields_.body_encoded, bytes_of(now.encoded)});
      ranges.push_back({bodies[i] + fields_.body_path, bytes_of(now.path)});
      ranges.push_back({bodies[i] + fields_.body_label, bytes_of(now.label)});
    }
    if (code.method != 0) {
      ranges.push_back({code.method + fields_.method_called_id, bytes_of(now.called_id)});
      ranges.push_back({code.method + fields_.method_owner, bytes_of(now.owner)});
    }
  }
  if (!memory_.read(ranges)) return false;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (into[i].body != bodies[i]) return false;
  }
  return true;
}

bool function_table::read_identity(const executed_code& code, identity& into) const {
  into = {};
  if (code.sequence != 0 && (!memory_.read_value(code.sequence + fields_.iseq_body, into.body) ||
                             !memory_.read_value(into.body + fields_.body_encoded, into.encoded) ||
                             !memory_.read_value(into.body + fields_.body_path, into.path) ||
                             !memory_.read_value(into.body + fields_.body_label, into.label)))
    return false;
  return code.method == 0 ||
         (memory_.read_value(code.method + fields_.method_called_id, into.called_id) &&
          memory_.read_value(code.method + fields_.method_owner, into.owner));
}

std::vector<named_function> function_table::at(std::span<const executed_code> codes) {
  if (known_.size() > max_functions) known_.clear();
  std::vector<identity> now(codes.size());
  const bool all = read_identities(codes, now);
  std::vector<const entry*> entries;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    entries.push_back(nullptr);
    if (!all && !read_identity(codes[i], now[i])) continue;
    auto& known = known_[codes[i]];
    if (known.id == 0 || known.now != now[i]) name(codes[i], now[i], known);
    entries.back() = &known;
  }
  std::vector<named_function> result;
  for (const auto* known : entries) {
    if (known == nullptr || known->id == 0) {
      result.push_back({.id = unnamed()});
    } else {
      result.push_back({known->id, known->now.encoded, &known->lines});
    }
  }
  return result;
}

void function_table::name(const executed_code& code, const identity& now, entry& into) {
  into = {.now = now};  // without an id, a later use tries again
  if (code.method != 0 && !objects_.find_symbols()) return;
  managed_frames::function_facts facts{.kind = code.sequence != 0 ? "interpreted" : "native"};
  const auto prefix = code.method != 0 ? objects_.method_prefix(now.owner) : std::u32string{};
  if (code.sequence == 0) {
    const auto method = objects_.name_of_id(now.called_id);
    if (!method) return;
    facts.name = prefix + *method;
    into.id = log_->add(pid_, facts);
    return;
  }
  std::vector<std::byte> body(fields_.body_bytes);
  if (!memory_.read(now.body, body)) return;
  const auto label = objects_.string_at(now.label);
  const auto base = objects_.string_at(value_at<std::uint64_t>(body, fields_.body_base_label));
  const auto path = objects_.path_at(now.path);
  if (!label || !base || !path) return;
  facts.name = *label;
  // "block in each" of a method of Foo becomes "block in Foo#each".
  if (!prefix.empty() && label->ends_with(*base)) {
    facts.name.resize(label->size() - base->size());
    facts.name += prefix + *base;
  }
  facts.file = *path;
  facts.line = static_cast<std::uint32_t>(value_at<std::uint64_t>(body, fields_.body_first_line) >>
                                          1U);  // a small integer
  const auto words = value_at<std::uint32_t>(body, fields_.body_size);
  if (words <= max_words) facts.code = {now.encoded, now.encoded + std::uint64_t{8} * words};
  into.lines = lines_of(body);
  into.id = log_->add(pid_, facts);
}

line_table function_table::lines_of(std::span<const std::byte> body) const {
  const auto words = value_at<std::uint32_t>(body, fields_.body_size);
  const auto count = value_at<std::uint32_t>(body, fields_.body_line_count);
  if (words > max_words || count > max_lines) return {};
  std::vector<std::byte> entries(std::size_t{count} * fields_.line_entry_bytes);
  std::vector<std::byte> index(count > 1 ? line_index_bytes(words) : 0);
  const std::array<memory_range, 2> ranges{
      memory_range{value_at<std::uint64_t>(body, fields_.body_lines), entries},
      memory_range{value_at<std::uint64_t>(body, fields_.body_line_index), index}};
  if (!memory_.read(std::span{ranges}.first(count > 1 ? 2 : 1))) return {};
  return {entries, fields_.line_entry_bytes, index};
}

std::uint64_t function_table::unnamed() {
  if (unnamed_ == 0)
    unnamed_ = log_->add(pid_, {.kind = "interpreted", .reason = "function not readable"});
  return unnamed_;
}

}  // namespace stallscope::ruby_frames
