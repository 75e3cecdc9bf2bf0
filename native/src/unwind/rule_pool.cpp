#include "rule_pool.hpp"

#include <algorithm>
#include <bit>

namespace stallscope::unwind {
namespace {

constexpr std::size_t most_expression_bytes = 4096;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const rule& each, std::span<const saved_register> saved) noexcept {
  std::uint64_t hash = mixed(static_cast<std::uint32_t>(each.cfa_offset),
                             each.cfa_register | (unsigned{each.return_column} << 8U) |
                                 (unsigned{each.is_signal_frame} << 16U));
  for (const saved_register& one : saved) hash = mixed(hash, std::bit_cast<std::uint64_t>(one));
  return hash;
}

bool equal(const rule& left, const rule& right) noexcept {
  return left.cfa_offset == right.cfa_offset && left.cfa_register == right.cfa_register &&
         left.return_column == right.return_column &&
         left.is_signal_frame == right.is_signal_frame && left.saved_count == right.saved_count;
}

}  // namespace

std::uint32_t rule_pool::number_of(rule wanted, std::span<const saved_register> saved) {
  wanted.saved_count = static_cast<std::uint8_t>(saved.size());
  const std::uint64_t hash = hash_of(wanted, saved);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash >> 20U) & mask;
  for (; slots_[at].number != 0; at = (at + 1) & mask) {
    if (slots_[at].hash != hash) continue;
    const rule& kept = into_.rules[slots_[at].number];
    if (equal(kept, wanted) && std::ranges::equal(into_.saved_by(kept), saved)) {
      return slots_[at].number;
    }
  }
  wanted.first_saved = static_cast<std::uint32_t>(into_.saved.size());
  into_.saved.insert(into_.saved.end(), saved.begin(), saved.end());
  const auto number = static_cast<std::uint32_t>(into_.rules.size());
  into_.rules.push_back(wanted);
  slots_[at] = {.hash = hash, .number = number};
  if (++used_ > slots_.size() / 2) grow();
  return number;
}

void rule_pool::grow() {
  std::vector<slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const slot& each : slots_) {
    if (each.number == 0) continue;
    std::size_t at = static_cast<std::size_t>(each.hash >> 20U) & mask;
    while (larger[at].number != 0) at = (at + 1) & mask;
    larger[at] = each;
  }
  slots_ = std::move(larger);
}

std::int32_t rule_pool::place_of(std::span<const std::byte> expression) {
  if (expression.size() > most_expression_bytes || into_.expressions.size() > INT32_MAX / 2) {
    return -1;
  }
  const std::string key(reinterpret_cast<const char*>(expression.data()), expression.size());
  const auto place = static_cast<std::int32_t>(into_.expressions.size());
  const auto [found, is_new] = places_.try_emplace(key, place);
  if (is_new) {
    const auto length = static_cast<std::uint16_t>(expression.size());
    const auto bytes = std::as_bytes(std::span(&length, 1));
    into_.expressions.insert(into_.expressions.end(), bytes.begin(), bytes.end());
    into_.expressions.insert(into_.expressions.end(), expression.begin(), expression.end());
  }
  return found->second;
}

}  // namespace stallscope::unwind
