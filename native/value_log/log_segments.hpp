// The segments of one shard: what each holds, how much of it is still of use, and the way to new
// ones. A segment in use stays open as long as someone reads it, removed or not. The next one is
// made, and the room of removed ones given back, by a thread beside the loop. One thread otherwise.
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
  bool sealed = false;              // nothing is written to it any more
  bool unsynced = false;            // a loss of power might take what was written last
  bool damaged = false;             // a record in it could not be read: compaction leaves it
  bool gaps = false;                // where a write failed, or never came, are zeros
  std::uint64_t end = block_bytes;  // written so far
  std::uint64_t dead_bytes = 0;     // of records that are no longer needed, and of padding
  // Compaction went so far and gave up: the records before are no longer counted in the index.
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

  // Throws std::system_error where there is no space, or no further descriptor. Where there seems
  // to be none this and the next one wait for the room that is being given back.
  shared_segment create();
  // Whether the next one is ready, or the disk has room to spare.
  [[nodiscard]] bool may_grow();
  // Has the next one made, where this one will soon be full and the disk has room to spare.
  void prepare_next(const segment& filling);
  // One that was there at the start.
  void add(shared_segment found);
  // Nothing is written to it any more, and all that was has ended: says so in its first block, and
  // gives back what was reserved behind its end.
  void seal(const shared_segment& full);
  // A write there failed: none of it is to be found, now or by a later start.
  static void clear(segment& of, std::uint64_t offset, std::uint64_t bytes);
  void remove(std::uint32_t number);
  // Closes it elsewhere, if nobody else has it: giving its room back takes its time.
  void let_go(shared_segment unused);

  [[nodiscard]] shared_segment find(std::uint32_t number) const;
  [[nodiscard]] const std::map<std::uint32_t, shared_segment>& all() const { return all_; }
  // Bytes of a segment's records that are not needed any more.
  void add_dead(std::uint32_t number, std::uint64_t bytes);

  [[nodiscard]] std::uint64_t segment_bytes() const { return segment_bytes_; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t dead_bytes() const;
  // The sealed one with the most that is not needed, where that is at least such a share of it.
  [[nodiscard]] std::optional<std::uint32_t> most_dead(double least_share) const;
  // Whether compaction has begun with a segment other than that one and not removed it.
  [[nodiscard]] bool any_partly_counted(std::uint32_t but = 0) const;
  [[nodiscard]] const data_directory& directory() const { return directory_; }
  [[nodiscard]] std::uint32_t shard() const { return shard_; }
  [[nodiscard]] std::string name_of(std::uint32_t number) const {
    return directory_.name_of({shard_, number});
  }

 private:
  shared_segment create_at_once();
  [[nodiscard]] bool next_is_ready() const;
  // Whether the disk has room for another segment, and one more for deletions and compaction,
  // beside the one that is being made.
  [[nodiscard]] bool room_to_spare() const;

  // Made ahead; of the worker until it is ready.
  struct next_segment {
    mutable std::mutex mutex;
    segment_file file;
    std::uint32_t number = 0;
    bool asked_for = false;
  };

  const data_directory& directory_;
  std::uint32_t shard_;
  std::uint64_t segment_bytes_;
  std::uint32_t next_number_ = 1;
  std::map<std::uint32_t, shared_segment> all_;
  next_segment next_;
  std::unique_ptr<file_worker> worker_;  // last: its work ends first
};

}  // namespace stallscope::value_log
