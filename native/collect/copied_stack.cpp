#include "collect/copied_stack.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

namespace stallscope::collect {
namespace {

constexpr std::uint64_t copied_chain_at = 56;  // header and the fields of sample_fields_view
constexpr std::uint64_t copied_word_bytes = sizeof(std::uint64_t);
constexpr std::size_t max_copied_registers = 64;

std::uint64_t register_mask() { return unwind::perf_mask(this_architecture()); }

}  // namespace

std::optional<copied_stack> find_copied_stack(const perf_events::record_view& record) {
  const std::uint64_t size = record.size();
  const auto count = static_cast<std::uint64_t>(std::popcount(register_mask()));
  if (size < copied_chain_at + copied_word_bytes) return std::nullopt;
  const auto chain = record.u64(copied_chain_at);
  if (chain > size / copied_word_bytes) return std::nullopt;
  copied_stack place;
  const std::uint64_t abi_at = copied_chain_at + copied_word_bytes * (1 + chain);
  place.registers_at = abi_at + copied_word_bytes;
  place.room_at = place.registers_at + copied_word_bytes * count;
  if (place.room_at + copied_word_bytes > size || record.u64(abi_at) != PERF_SAMPLE_REGS_ABI_64)
    return std::nullopt;
  place.room = record.u64(place.room_at);
  const std::uint64_t copy_at = place.room_at + copied_word_bytes;
  if (place.room == 0 || place.room > size || copy_at + place.room + copied_word_bytes != size)
    return std::nullopt;
  place.copied = std::min(record.u64(copy_at + place.room), place.room);
  return place;
}

unwind::registers registers_of(const perf_events::record_view& record, const copied_stack& place) {
  const auto mask = register_mask();
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  std::array<std::uint64_t, max_copied_registers> values{};
  for (std::size_t i = 0; i < count; ++i)
    values.at(i) = record.u64(place.registers_at + copied_word_bytes * i);
  return unwind::from_perf(this_architecture(), mask, std::span{values}.first(count));
}

}  // namespace stallscope::collect
