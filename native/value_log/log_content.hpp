// The contents of the log of one shard: its segments and the index of newest records. This class
// decides which records are still needed.
//
// A record is dead if its key has a newer record. A deletion record stays alive while an older
// record of the key exists in any segment, so the index counts the records of each key, from the
// oldest one that can still matter. FLUSHALL writes one record that supersedes all earlier records.
//
// Thread: one. Cost: one index lookup per call, plus a few additions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value_log/key_index.hpp"
#include "value_log/log_segments.hpp"

namespace stallscope::value_log {

class log_content {
 public:
  log_content(const data_directory& directory, std::uint32_t shard, std::uint64_t segment_bytes)
      : segments_(directory, shard, segment_bytes) {}

  [[nodiscard]] log_segments& segments() { return segments_; }
  [[nodiscard]] const log_segments& segments() const { return segments_; }
  [[nodiscard]] const key_index& index() const { return index_; }
  [[nodiscard]] const store::hash_seed& secret() const {
    return segments_.directory().identity().secret;
  }
  [[nodiscard]] std::uint64_t next_sequence() { return ++sequence_; }

  // Returns nothing if the key is absent, deleted or expired.
  [[nodiscard]] std::optional<location> find(std::string_view key, std::int64_t now_ms);

  // Adds a record read at the start, in any order.
  void recovered(const record& what, location where);
  void finish_recovery();

  // Throws std::bad_alloc without effect. Call it before the record is written: a written record
  // must reach the index.
  [[nodiscard]] key_index::room make_room(std::string_view key) { return index_.make_room(key); }
  // Adds a written record; its sequence number is the highest so far.
  void written(std::string_view key, location where, key_index::room reserved) noexcept;
  // FLUSHALL was written at this location; every other segment is removed.
  void flushed(const location& where) noexcept;

  // Called by compaction for each record of a segment in order. A record that need not be moved no
  // longer counts as part of this segment, which must be removed next. Throws std::bad_alloc
  // without effect.
  [[nodiscard]] bool must_move(const record& what, const location& where, std::int64_t now_ms,
                               bool counted);
  void moved(std::string_view key, const location& from, const location& to) noexcept;
  // A segment was removed durably: deletions that are no longer needed are dropped.
  void segment_removed() noexcept;

 private:
  void forget(std::string_view key, const location& where) noexcept;
  void record_gone(std::string_view key);

  key_index index_;
  log_segments segments_;
  std::uint64_t sequence_ = 0;
  std::uint64_t flushed_sequence_ = 0;
  // deleted keys of which only the deletion record is left
  std::vector<std::string> removable_deletions_;
};

}  // namespace stallscope::value_log
