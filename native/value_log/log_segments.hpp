// The segments of one shard: their contents, their live share, and the creation of new ones. A
// segment stays open while it is read, even after its removal. A background thread creates the next
// segment and frees the space of removed ones; everything else belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "value_log/data_directory.hpp"
#include "value_log/file_worker.hpp"
#include "value_log/record.hpp"

namespace stallscope::value_log {

struct segment {
  descriptor file;
  std::uint32_t number = 0;
  bool direct = false;
  bool sealed = false;              // no more writes
  bool unsynced = false;            // the last writes may not be durable
  bool damaged = false;             // a record is unreadable; compaction skips the segment
  bool gaps = false;                // contains zeros where a write failed or is missing
  std::uint64_t end = block_bytes;  // end of the written bytes
  std::uint64_t dead_bytes = 0;     // of dead records and padding
  // Compaction stopped here: the index no longer counts the records before this offset.
  std::uint64_t counted_to = 0;

  [[nodiscard]] std::uint64_t record_bytes_held() const { return end - block_bytes; }
  [[nodiscard]] double dead_share() const {
    const std::uint64_t held = record_bytes_held();
    return held == 0 ? 1.0 : static_cast<double>(dead_bytes) / static_cast<double>(held);
  }
};
using shared_segment = std::shared_ptr<segment>;

class log_segments {
 public:
  log_segments(const data_directory& directory, std::uint32_t shard, std::uint64_t segment_bytes);
  ~log_segments();
  log_segments(const log_segments&) = delete;
  log_segments& operator=(const log_segments&) = delete;
  log_segments(log_segments&&) = delete;
  log_segments& operator=(log_segments&&) = delete;

  // Throws std::system_error if there is no space or no descriptor, or std::bad_alloc, without
  // effect. If the disk seems full, waits for the space that is being freed.
  shared_segment create();
  // Whether the next segment is ready or the disk has spare room.
  [[nodiscard]] bool may_grow() noexcept;
  // Creates the next segment in the background, if `filling` is nearly full and the disk has spare
  // room.
  void prepare_next(const segment& filling) noexcept;
  // Adds a segment that existed at the start.
  void add(shared_segment existing);
  // Seals a segment after its last write: stores its end in the first block and frees the reserved
  // space behind it.
  void seal(const shared_segment& full) noexcept;
  // Erases a failed write, so that neither this nor a later start finds it.
  static void clear(segment& of, std::uint64_t offset, std::uint64_t bytes) noexcept;
  void remove(std::uint32_t number) noexcept;
  // Closes the segment in the background if this is the last reference: freeing its space takes
  // time.
  void let_go(shared_segment unused) noexcept;

  [[nodiscard]] shared_segment find(std::uint32_t number) const;
  [[nodiscard]] const std::map<std::uint32_t, shared_segment>& all() const { return all_; }
  // Adds dead bytes to a segment.
  void add_dead(std::uint32_t number, std::uint64_t bytes) noexcept;

  [[nodiscard]] std::uint64_t segment_bytes() const { return segment_bytes_; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t dead_bytes() const;
  // The sealed segment with the highest dead share, if that is at least `min_share`.
  [[nodiscard]] std::optional<std::uint32_t> most_dead(double min_share) const;
  // Whether compaction has started on a segment other than `but` without removing it.
  [[nodiscard]] bool any_partly_counted(std::uint32_t but = 0) const;
  [[nodiscard]] const data_directory& directory() const { return directory_; }
  [[nodiscard]] std::uint32_t shard() const { return shard_; }
  [[nodiscard]] std::string name_of(std::uint32_t number) const {
    return directory_.name_of({shard_, number});
  }

 private:
  shared_segment create_at_once();
  // Creates the next segment; in the background.
  void create_next(std::uint32_t number) noexcept;
  // Stores the end of a segment and frees the reserved space; usually in the background.
  void finish_seal(const segment& full) const noexcept;
  [[nodiscard]] bool next_is_ready() const;
  // Whether the disk has room for another segment and a spare one for deletions and compaction, in
  // addition to the one being created.
  [[nodiscard]] bool room_to_spare() const;

  // Created ahead; owned by the worker until it is ready.
  struct next_segment {
    mutable std::mutex mutex;
    segment_file file;
    std::uint32_t number = 0;
    bool requested = false;
  };

  const data_directory& directory_;
  std::uint32_t shard_;
  std::uint64_t segment_bytes_;
  std::uint32_t next_number_ = 1;
  std::map<std::uint32_t, shared_segment> all_;
  next_segment next_;
  std::unique_ptr<file_worker> worker_;  // last member: its jobs end first
};

}  // namespace stallscope::value_log
