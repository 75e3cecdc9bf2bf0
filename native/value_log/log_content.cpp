#include "value_log/log_content.hpp"

#include <algorithm>

namespace stallscope::value_log {

std::optional<location> log_content::find(std::string_view key, std::int64_t now_ms) {
  const auto place = index_.find(key);
  if (!place || place->deleted()) return std::nullopt;
  if (!place->expired(now_ms)) return place;
  if (place->records == 1 && !segments_.any_partly_counted()) forget(key, *place);
  return std::nullopt;
}

// The deletion record is not needed: no older record exists.
void log_content::forget(std::string_view key, const location& where) noexcept {
  segments_.add_dead(where.segment, where.bytes(key.size()));
  index_.erase(key);
}

void log_content::recovered(const record& what, location where) {
  sequence_ = std::max(sequence_, what.sequence);
  if (what.kind == record_kind::cleared) {
    if (what.sequence <= flushed_sequence_) return;
    flushed_sequence_ = what.sequence;
    index_.erase_if([&](std::string_view key, const location& held) {
      if (held.sequence >= flushed_sequence_) return false;
      segments_.add_dead(held.segment, held.bytes(key.size()));
      return true;
    });
    return;
  }
  if (what.sequence < flushed_sequence_) {
    segments_.add_dead(where.segment, where.bytes(what.key.size()));
    return;
  }
  auto held = index_.find(what.key);
  if (!held) {
    index_.set(what.key, where);
    return;
  }
  where.records = held->records + 1;
  if (where.sequence > held->sequence) {
    segments_.add_dead(held->segment, held->bytes(what.key.size()));
    index_.set(what.key, where);
  } else {
    segments_.add_dead(where.segment, where.bytes(what.key.size()));
    held->records = where.records;
    index_.set(what.key, *held);
  }
}

void log_content::finish_recovery() {
  index_.erase_if([&](std::string_view key, const location& held) {
    if (!held.deleted() || held.records != 1) return false;
    segments_.add_dead(held.segment, held.bytes(key.size()));
    return true;
  });
}

void log_content::written(std::string_view key, location where, key_index::room reserved) noexcept {
  const auto held = index_.find(key);
  where.records = 1;
  where.counted_from = where.sequence;
  if (held) {
    segments_.add_dead(held->segment, held->bytes(key.size()));
    where.records = held->records + 1;
    where.counted_from = held->counted_from;
  }
  index_.set(key, where, std::move(reserved));
}

void log_content::flushed(const location& where) noexcept {
  flushed_sequence_ = where.sequence;
  index_.clear();
  removable_deletions_.clear();
  for (auto next = segments_.all().begin(); next != segments_.all().end();) {
    const std::uint32_t number = next++->first;
    if (number != where.segment) segments_.remove(number);
  }
  const shared_segment left = segments_.find(where.segment);
  left->dead_bytes = left->record_bytes_held();
}

bool log_content::must_move(const record& what, const location& where, std::int64_t now_ms,
                            bool counted) {
  if (what.kind == record_kind::cleared) return what.sequence == flushed_sequence_;
  if (what.sequence < flushed_sequence_) return false;
  const auto held = index_.find(what.key);
  if (!held) return false;
  if (!held->same_record(where)) {
    if (!counted && what.sequence >= held->counted_from) record_gone(what.key);
    return false;
  }
  const bool nothing_to_say = held->deleted() || held->expired(now_ms);
  if (!nothing_to_say || held->records != 1 || segments_.any_partly_counted(where.segment)) {
    return true;
  }
  index_.erase(what.key);
  return false;
}

void log_content::record_gone(std::string_view key) {
  auto held = *index_.find(key);
  --held.records;
  if (held.records == 1 && held.deleted()) removable_deletions_.emplace_back(key);
  index_.update(key, held);
}

void log_content::moved(std::string_view key, const location& from, const location& to) noexcept {
  auto held = index_.find(key);
  if (!held || !held->same_record(from)) {
    segments_.add_dead(to.segment, to.bytes(key.size()));
    return;
  }
  held->segment = to.segment;
  held->offset = to.offset;
  index_.update(key, *held);
}

void log_content::segment_removed() noexcept {
  if (segments_.any_partly_counted()) return;
  for (const std::string& key : removable_deletions_) {
    const auto held = index_.find(key);
    if (held && held->deleted() && held->records == 1) forget(key, *held);
  }
  removable_deletions_.clear();
}

}  // namespace stallscope::value_log
