// What one shard's log holds: its segments, and by key where the newest record lies. Here is
// decided which records are still needed. A record is dead when its key has a newer one; that a key
// was deleted has to stay written while an older record of it lies in any segment, and so the index
// counts each key's records, from the first on that it knows of: those before say nothing any more
// (that the key was deleted, or a value that expired). FLUSHALL writes one record that outlives all
// before it.
//
// One thread; look-ups as the index's, the rest a look-up and a few additions.
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

  // Nothing where the key is not there, deleted or expired.
  [[nodiscard]] std::optional<location> find(std::string_view key, std::int64_t now_ms);

  // A record found at the start; in any order.
  void recovered(const record& what, location where);
  void all_recovered();

  // A record was written, with the highest sequence so far.
  void written(std::string_view key, location where);
  // All keys were flushed by a record there; every other segment is removed.
  void flushed(const location& where);

  // Of compaction, for each record of a segment in turn. What is not to be moved is then counted
  // as gone from this segment, which has to be removed next.
  [[nodiscard]] bool to_be_moved(const record& what, const location& where, std::int64_t now_ms,
                                 bool counted);
  void moved(std::string_view key, const location& from, const location& to);
  // The segment is gone for good: keys whose deletion needs no longer be told are forgotten.
  void segment_gone();

 private:
  void forget(std::string_view key, const location& where);
  void record_gone(std::string_view key);

  key_index index_;
  log_segments segments_;
  std::uint64_t sequence_ = 0;
  std::uint64_t flushed_sequence_ = 0;
  std::vector<std::string> ripe_;  // deleted keys of whom but the deletion is left
};

}  // namespace stallscope::value_log
