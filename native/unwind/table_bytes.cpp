// The serialized form of a table: a header with the counts, then the arrays in their memory layout.
// Cached bytes are untrusted input: every number that lookups or rules use is validated.
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "unwind/table_content.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::array<char, 8> magic{'s', 't', 'a', 'l', 'l', 'u', 'n', 'w'};
constexpr std::uint32_t version = 2;

struct header {
  std::array<char, 8> name = magic;
  std::uint32_t format_version = version;
  std::uint32_t arch = 0;
  std::uint64_t first_address = 0;
  std::uint64_t entry = 0;
  std::uint64_t bad_entries = 0;
  double frame_pointer_share = 0;
  std::uint64_t segments = 0;
  std::uint64_t rows = 0;
  std::uint64_t rules = 0;
  std::uint64_t saved = 0;
  std::uint64_t expression_bytes = 0;
};
static_assert(sizeof(header) == 88);

template <typename Item>
void put(std::span<std::byte>& to, const std::vector<Item>& items) {
  const std::size_t size = items.size() * sizeof(Item);
  if (size != 0) std::memcpy(to.data(), items.data(), size);
  to = to.subspan(size);
}

template <typename... Items>
std::size_t size_of(const std::vector<Items>&... items) {
  return (sizeof(header) + ... + (items.size() * sizeof(Items)));
}

template <typename Item>
void take(std::span<const std::byte>& from, std::vector<Item>& items, std::uint64_t count) {
  if (count > from.size() / sizeof(Item)) throw table_error("truncated unwind table");
  items.resize(static_cast<std::size_t>(count));
  const std::size_t size = items.size() * sizeof(Item);
  if (size != 0) std::memcpy(items.data(), from.data(), size);
  from = from.subspan(size);
}

void require(bool holds) {
  if (!holds) throw table_error("unwind table with invalid numbers");
}

bool is_expression(const table_reader::content& content, std::int32_t place) {
  std::uint16_t length = 0;
  const auto& all = content.expressions;
  const auto at = static_cast<std::size_t>(place);
  if (place < 0 || at > all.size() || all.size() - at < sizeof length) return false;
  std::memcpy(&length, all.data() + at, sizeof length);
  return length <= all.size() - at - sizeof length;
}

void check_rules(const table_reader::content& content) {
  for (const rule& entry : content.rules) {
    require(entry.first_saved <= content.saved.size() &&
            entry.saved_count <= content.saved.size() - entry.first_saved);
    require(entry.return_column < registers::count);
    require(entry.cfa_register < registers::count || (entry.cfa_register == rule::by_expression &&
                                                      is_expression(content, entry.cfa_offset)));
  }
  for (const saved_register& reg : content.saved) {
    require(reg.number < registers::count && reg.how <= recovery::is_expression);
    if (reg.how == recovery::in_register) {
      require(reg.value >= 0 && reg.value < static_cast<std::int32_t>(registers::count));
    }
    if (reg.how == recovery::at_expression || reg.how == recovery::is_expression) {
      require(is_expression(content, reg.value));
    }
  }
}

void check(const table_reader::content& content) {
  for (std::size_t row = 0; row < content.starts.size(); ++row) {
    require(row == 0 || content.starts[row - 1] < content.starts[row]);
    require(content.rule_numbers[row] < content.rules.size());
  }
  require(content.frame_pointer_share >= 0 && content.frame_pointer_share <= 1);
  require(!content.rules.empty());
  check_rules(content);
}

}  // namespace

std::vector<std::byte> table::to_bytes() const {
  const content& from = *content_;
  const header head{.arch = static_cast<std::uint32_t>(from.arch),
                    .first_address = from.first_address,
                    .entry = from.entry,
                    .bad_entries = from.bad_entries,
                    .frame_pointer_share = from.frame_pointer_share,
                    .segments = from.segments.size(),
                    .rows = from.starts.size(),
                    .rules = from.rules.size(),
                    .saved = from.saved.size(),
                    .expression_bytes = from.expressions.size()};
  std::vector<std::byte> bytes(size_of(from.segments, from.starts, from.rule_numbers, from.rules,
                                       from.saved, from.expressions));
  std::memcpy(bytes.data(), &head, sizeof head);
  auto rest = std::span(bytes).subspan(sizeof head);
  put(rest, from.segments);
  put(rest, from.starts);
  put(rest, from.rule_numbers);
  put(rest, from.rules);
  put(rest, from.saved);
  put(rest, from.expressions);
  return bytes;
}

table table::from_bytes(std::span<const std::byte> bytes) {
  header head;
  if (bytes.size() < sizeof head) throw table_error("not an unwind table");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.name != magic) throw table_error("not an unwind table");
  if (head.format_version != version) throw table_error("unwind table of another version");
  require(head.arch <= static_cast<std::uint32_t>(architecture::arm64));
  require(head.segments <= max_segments);
  auto result = std::make_unique<content>();
  result->arch = static_cast<architecture>(head.arch);
  result->first_address = head.first_address;
  result->entry = head.entry;
  result->bad_entries = head.bad_entries;
  result->frame_pointer_share = head.frame_pointer_share;
  auto rest = bytes.subspan(sizeof head);
  take(rest, result->segments, head.segments);
  take(rest, result->starts, head.rows);
  take(rest, result->rule_numbers, head.rows);
  take(rest, result->rules, head.rules);
  take(rest, result->saved, head.saved);
  take(rest, result->expressions, head.expression_bytes);
  require(rest.empty());
  check(*result);
  return table(std::move(result));
}

}  // namespace stallscope::unwind
