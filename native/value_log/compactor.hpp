// Moves what is still needed out of segments that are mostly dead, and removes them: by itself
// where half of a sealed segment is dead, or all of them when asked. It reads a segment in chunks
// and writes what it keeps in pieces, with many of both under way: how many of them reach the disk
// beside the queries is the queue's to say. A segment is removed only when everything of it is
// moved and durable, and the kernel is asked to keep its removal before anything relies on it.
//
// What fails leaves the segment where it is, and is tried again when asked, or after a while. But a
// sync that fails ends compaction until the next start: what the kernel could not write it forgets,
// and the next sync would not say so.
// Takes 16 MB while it runs and the longest record; a turn of the loop takes one chunk, some 50 us.
// One thread, the shard's.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "reactor/task_scheduler.hpp"
#include "value_log/aligned_memory.hpp"
#include "value_log/appender.hpp"
#include "value_log/io_port.hpp"
#include "value_log/log_content.hpp"

namespace stallscope::value_log {

struct compaction_settings {
  std::uint64_t chunk_bytes = std::uint64_t{128} << 10U;
  std::size_t max_chunks = 64;  // under way, and as many pieces
  double min_dead_share = 0.5;
  std::chrono::nanoseconds pause_after_failure = std::chrono::seconds{5};
  std::int64_t (*now_ms)() = nullptr;  // Unix time; null: the clock's
};

struct compaction_counts {
  std::uint64_t segments_removed = 0;
  std::uint64_t records_moved = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t failures = 0;
  int last_error = 0;
};

class compactor final : private reactor::task {
 public:
  // All outlive it.
  compactor(log_content& content, appender& newest, io_port& port, reactor::task_scheduler& loop,
            const compaction_settings& settings);
  ~compactor();
  compactor(const compactor&) = delete;
  compactor& operator=(const compactor&) = delete;
  compactor(compactor&&) = delete;
  compactor& operator=(compactor&&) = delete;

  // Rewrites every segment there is now; then calls back with 0 or an errno.
  void compact_all(std::function<void(int error)> done);
  // Begins where enough is dead. Cheap enough for ten times a second.
  void consider();
  // Once a turn of the loop: goes on with what was read, a chunk a turn, so that queries that came
  // meanwhile are heard in between.
  void next_turn();
  // Begins nothing more; what is under way is given up.
  void stop();
  void end();  // seals what was written to: at the end, when nothing is under way

  [[nodiscard]] bool running() const { return victim_ != nullptr || !jobs_.empty(); }
  [[nodiscard]] bool idle() const { return victim_ == nullptr && !rolling_; }
  [[nodiscard]] const compaction_counts& counts() const { return counts_; }

 private:
  struct chunk;
  struct piece;
  struct sync_request;
  struct job {
    std::function<void(int)> done;
    std::optional<std::deque<std::uint32_t>> segments;  // left to do; nothing: not begun
  };

  void run() override;
  void wake();
  void choose();
  void begin(shared_segment victim);
  void end_job(int error);
  void continue_moving();
  void submit_reads();
  void parse_front_chunk();
  void parse();
  bool take_record(std::span<const std::byte> rest, const decoded& decoded_record);
  void keep(std::span<const std::byte> bytes, const location& from);
  void send_piece();
  [[nodiscard]] aligned_memory memory_for(std::uint64_t bytes);
  void keep_memory(aligned_memory&& unused);
  void piece_done(piece& written, std::int64_t result);
  void commit(const piece& written);
  void sync_next();
  void synced(std::int64_t result);
  void remove_victim();
  void finish_removal();
  void seal_full();
  void give_up();
  void fail(int error);

  log_content& content_;
  appender& appender_;
  io_port& port_;
  reactor::task_scheduler& loop_;
  compaction_settings settings_;
  compaction_counts counts_;
  std::deque<job> jobs_;
  std::chrono::nanoseconds not_before_{};

  shared_segment victim_;
  shared_segment output_;
  std::vector<shared_segment> full_;  // outputs before it; pieces may still be under way
  std::uint64_t read_position_ = 0;
  std::uint64_t parse_position_ = 0;
  std::deque<std::unique_ptr<chunk>> chunks_;  // in the segment's order
  std::vector<std::byte> unparsed_;            // what follows parse_position_
  std::size_t unparsed_from_ = 0;
  std::unique_ptr<piece> filling_;
  std::vector<std::unique_ptr<piece>> pieces_;  // being written
  std::vector<aligned_memory> spare_;           // of chunks and pieces that are done
  std::vector<shared_segment> to_sync_;
  std::unique_ptr<sync_request> sync_;
  std::size_t chunks_under_way_ = 0;
  int error_ = 0;
  int sync_error_ = 0;   // of one that failed, ever
  bool ending_ = false;  // all is moved: the syncs are under way
  bool removed_ = false;
  bool rolling_ = false;
  bool scheduled_ = false;
  bool wants_turn_ = false;
  bool stopped_ = false;
};

}  // namespace stallscope::value_log
