#include "collect/stack_trimmer.hpp"

#include <linux/perf_event.h>

#include <cstring>

namespace stallscope::collect {
namespace {

constexpr std::uint64_t trimmed_word_bytes = sizeof(std::uint64_t);
// A smaller gain is not worth the additional pieces.
constexpr std::uint64_t least_gain = 1024;

}  // namespace

std::optional<stack_trimmer::cut> stack_trimmer::cut_of(
    const perf_events::record_view& record) const {
  if (record.type() != PERF_RECORD_SAMPLE) return std::nullopt;
  const auto place = find_copied_stack(record);
  if (!place) return std::nullopt;
  const perf_events::sample_fields_view fields{record};
  const auto sp = registers_of(record, *place).at(stack_pointer());
  const auto used = ends_->used_bytes(fields.tid, sp, place->copied);
  const auto kept = (used + trimmed_word_bytes - 1) / trimmed_word_bytes * trimmed_word_bytes;
  if (used == 0 || kept + least_gain > place->room) return std::nullopt;
  return cut{*place, kept};
}

std::vector<std::span<const std::byte>> stack_trimmer::pieces(
    const perf_events::ring_view& ring, const perf_events::record_view& record,
    const cut& shortened) {
  std::vector<std::span<const std::byte>> result;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    for (const auto piece : ring.pieces(record.position() + begin, record.position() + end)) {
      if (!piece.empty()) result.push_back(piece);
    }
  };
  const auto add_word = [&](std::uint64_t word) {
    result.push_back(std::as_bytes(std::span{&words_.emplace_back(word), 1}));
  };
  const auto& [place, kept] = shortened;
  const perf_event_header header{record.type(), record.misc(),
                                 static_cast<std::uint16_t>(record.size() - (place.room - kept))};
  std::uint64_t first = 0;
  static_assert(sizeof header == sizeof first);
  std::memcpy(&first, &header, sizeof first);
  add_word(first);
  add(sizeof header, place.room_at);
  add_word(kept);
  add(place.room_at + trimmed_word_bytes, place.room_at + trimmed_word_bytes + kept);
  add_word(kept);
  return result;
}

}  // namespace stallscope::collect
