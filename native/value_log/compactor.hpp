// Compaction: moves live records out of mostly dead segments and removes these segments. It starts
// on its own if half of a sealed segment is dead, and for all segments on request (COMPACT).
//
//   compactor compaction(content, newest, port, loop, {});
//   compaction.consider();                           // about ten times per second
//   compaction.compact_all([](int error) { ... });   // on request
//   compaction.next_turn();                          // once per turn of the loop
//
// A chunk_reader reads the segment and a piece_writer writes the live records, both with many
// requests in flight; the I/O queue decides how many of them reach the disk beside the queries. A
// segment is removed only after all its live records are moved and durable, and its removal is made
// durable before anything relies on it.
//
// A failed compaction leaves its segment in place and is retried on request or after a pause. A
// failed sync, however, ends compaction until the next start: the kernel drops the pages that it
// could not write, and a later sync would not report that.
//
// Cost: 16 MB while it runs, plus the longest record; one chunk per turn of the loop, about 50 us.
// Thread: that of the shard.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "reactor/task_scheduler.hpp"
#include "value_log/appender.hpp"
#include "value_log/chunk_memory.hpp"
#include "value_log/chunk_reader.hpp"
#include "value_log/io_port.hpp"
#include "value_log/log_content.hpp"
#include "value_log/piece_writer.hpp"

namespace stallscope::value_log {

struct compaction_settings {
  std::uint64_t chunk_bytes = std::uint64_t{128} << 10U;
  std::size_t max_chunks = 64;  // in flight; also the limit of pieces
  double min_dead_share = 0.5;
  std::chrono::nanoseconds pause_after_failure = std::chrono::seconds{5};
  std::int64_t (*now_ms)() = nullptr;  // Unix time; null: CLOCK_REALTIME
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
  // All arguments outlive the compactor.
  compactor(log_content& content, appender& newest, io_port& port, reactor::task_scheduler& loop,
            const compaction_settings& settings);
  ~compactor();
  compactor(const compactor&) = delete;
  compactor& operator=(const compactor&) = delete;
  compactor(compactor&&) = delete;
  compactor& operator=(compactor&&) = delete;

  // Rewrites all present segments, then calls `done`, which must not throw, with 0 or an errno.
  // Throws std::bad_alloc without effect.
  void compact_all(std::function<void(int error)> done);
  // Starts on the segment with the highest dead share, if that is high enough.
  void consider();
  // Called once per turn: continues with the next chunk, so that queries run between chunks.
  void next_turn();
  // Abandons the current segment and starts no other.
  void stop();
  void end();  // seals the written segments; nothing may be in flight

  [[nodiscard]] bool running() const { return victim_ != nullptr || !jobs_.empty(); }
  [[nodiscard]] bool idle() const { return victim_ == nullptr && !rolling_; }
  [[nodiscard]] compaction_counts counts() const;

 private:
  struct sync_request;
  struct job {
    std::function<void(int)> done;
    std::optional<std::deque<std::uint32_t>> segments;  // remaining; nothing: not started
  };

  void run() override;
  void wake();
  void choose();
  void begin(shared_segment victim);
  void list_segments() noexcept;
  void end_job(int error) noexcept;
  void continue_moving();
  void continue_failed() noexcept;
  void parse_front_chunk();
  void parse();
  bool handle_record(std::span<const std::byte> rest, const decoded& next);
  void finish_moving();
  void sync_next();
  void synced(std::int64_t result) noexcept;
  void remove_victim();
  void finish_removal();
  void give_up() noexcept;
  void fail(int error);

  log_content& content_;
  appender& appender_;
  io_port& port_;
  reactor::task_scheduler& loop_;
  compaction_settings settings_;
  std::deque<job> jobs_;
  std::chrono::nanoseconds not_before_{};
  std::uint64_t segments_removed_ = 0;
  std::uint64_t failures_ = 0;
  int last_error_ = 0;

  chunk_memory memory_;
  chunk_reader reader_;
  piece_writer writer_;
  shared_segment victim_;  // the segment being compacted
  std::uint64_t parse_position_ = 0;
  std::vector<std::byte> unparsed_;  // the bytes after parse_position_
  std::size_t unparsed_from_ = 0;
  std::vector<shared_segment> to_sync_;
  std::unique_ptr<sync_request> sync_;
  int error_ = 0;
  int sync_error_ = 0;    // of any failed sync; final
  bool syncing_ = false;  // all records are moved, syncs are in flight
  bool removed_ = false;
  bool rolling_ = false;
  bool scheduled_ = false;
  bool wants_turn_ = false;
  bool stopped_ = false;
};

}  // namespace stallscope::value_log
