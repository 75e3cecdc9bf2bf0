#include "unwind/rule_pool.hpp"

#include <algorithm>
#include <bit>

namespace stallscope::unwind {
namespace {

constexpr std::size_t max_expression_bytes = 4096;
constexpr std::size_t max_probes = 4096;                  // limit for intentional hash collisions
constexpr std::size_t max_rules = std::size_t{1} << 18U;  // large libraries have about 2,000

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const rule& candidate, const frame_state& state) noexcept {
  return mixed(mixed(state.hash(), static_cast<std::uint32_t>(candidate.cfa_offset)),
               candidate.cfa_register | (unsigned{candidate.return_column} << 8U) |
                   (unsigned{candidate.is_signal_frame} << 16U));
}

}  // namespace

bool rule_pool::describes(const rule& existing, const rule& candidate,
                          const frame_state& state) const noexcept {
  if (existing.cfa_offset != candidate.cfa_offset ||
      existing.cfa_register != candidate.cfa_register ||
      existing.return_column != candidate.return_column ||
      existing.is_signal_frame != candidate.is_signal_frame ||
      existing.saved_count != candidate.saved_count) {
    return false;
  }
  const auto saved = into_.saved_by(existing);
  return std::ranges::all_of(saved, [&](const saved_register& reg) {
    const auto& column = state.at(reg.number);
    return column.how == reg.how && column.value == reg.value;
  });
}

std::uint32_t rule_pool::add(rule candidate, const frame_state& state) {
  candidate.first_saved = static_cast<std::uint32_t>(into_.saved.size());
  for (std::uint64_t left = state.changed(); left != 0; left &= left - 1) {
    const auto number = static_cast<std::uint8_t>(std::countr_zero(left));
    const auto& column = state.at(number);
    into_.saved.push_back({.value = column.value, .number = number, .how = column.how});
  }
  into_.rules.push_back(candidate);
  return static_cast<std::uint32_t>(into_.rules.size() - 1);
}

std::uint32_t rule_pool::number_of(const frame_state& state, std::uint8_t return_column,
                                   bool is_signal_frame) {
  const rule candidate{.cfa_offset = state.cfa_offset,
                       .cfa_register = state.cfa_register,
                       .return_column = return_column,
                       .is_signal_frame = is_signal_frame,
                       .saved_count = state.changed_count()};
  const std::uint64_t hash = hash_of(candidate, state);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash >> 20U) & mask;
  std::size_t probes = 0;
  for (; slots_[at].number != 0; at = (at + 1) & mask) {
    if (++probes > max_probes) return 0;
    if (slots_[at].hash == hash && describes(into_.rules[slots_[at].number], candidate, state)) {
      return slots_[at].number;
    }
  }
  if (into_.rules.size() == max_rules) return 0;
  const std::uint32_t number = add(candidate, state);
  slots_[at] = {.hash = hash, .number = number};
  if (++used_ > slots_.size() / 2) grow();
  return number;
}

void rule_pool::grow() {
  std::vector<slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const slot& entry : slots_) {
    if (entry.number == 0) continue;
    std::size_t at = static_cast<std::size_t>(entry.hash >> 20U) & mask;
    while (larger[at].number != 0) at = (at + 1) & mask;
    larger[at] = entry;
  }
  slots_ = std::move(larger);
}

std::int32_t rule_pool::offset_of(std::span<const std::byte> expression) {
  if (expression.size() > max_expression_bytes || into_.expressions.size() > INT32_MAX / 2) {
    return -1;
  }
  const std::string key(reinterpret_cast<const char*>(expression.data()), expression.size());
  const auto offset = static_cast<std::int32_t>(into_.expressions.size());
  const auto [entry, is_new] = offsets_.try_emplace(key, offset);
  if (is_new) {
    const auto length = static_cast<std::uint16_t>(expression.size());
    const auto bytes = std::as_bytes(std::span(&length, 1));
    into_.expressions.insert(into_.expressions.end(), bytes.begin(), bytes.end());
    into_.expressions.insert(into_.expressions.end(), expression.begin(), expression.end());
  }
  return entry->second;
}

}  // namespace stallscope::unwind
