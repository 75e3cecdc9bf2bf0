// Appends records to the newest segment of a log.
//
//     class set_request : public append_request { void appended(int error) override; ... };
//     request.items.push_back({.key = "name", .value = "value"});
//     request.needs_room = true;
//     newest.append(request);            // request.appended(0) once it is written
//
// Batching: all records that arrive in one turn of the loop, and while the previous batch is being
// written, form one write. A write starts at a block and is padded to one, so that no later write
// touches acknowledged data. Only one write is in flight, so everything behind a hole was never
// acknowledged. The index learns of records after the write completes, or with `durable` after the
// sync.
//
// A failed write is cut off and ends its segment; acknowledged records stay. While the disk has
// less free space than two segments, new records are rejected; deletions and compaction may still
// use that space.
//
// Cost: a copy and a hash per record, memory for two batches. Thread: that of the shard.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/linked_fifo.hpp"
#include "reactor/task_scheduler.hpp"
#include "value_log/aligned_memory.hpp"
#include "value_log/io_port.hpp"
#include "value_log/log_content.hpp"

namespace stallscope::value_log {

struct append_item {
  record_kind kind = record_kind::value;
  std::string_view key{};
  std::string_view value{};
  std::int64_t expires_ms = 0;
};

// The caller keeps the request and everything it points to in place until appended() is called.
class append_request {
 public:
  std::vector<append_item> items;  // appended atomically
  bool needs_room = false;         // false for requests that only delete

  // Receives 0 or an errno; EMSGSIZE if the request does not fit into a segment. Never called from
  // within append().
  virtual void appended(int error) noexcept = 0;

 protected:
  ~append_request() = default;

 private:
  friend class linked_fifo<append_request>;
  append_request* next = nullptr;
};

struct append_settings {
  bool durable = false;
  std::uint64_t max_batch_bytes = std::uint64_t{1} << 20U;  // a single request may be larger
};

class appender final : private io_request, private reactor::task {
 public:
  appender(log_content& content, io_port& port, reactor::task_scheduler& loop,
           const append_settings& settings)
      : content_(content), port_(port), loop_(loop), settings_(settings) {}

  // Throws std::bad_alloc without effect. What the index needs for the records is allocated here or
  // before the write, so that a written record always reaches the index.
  void append(append_request& request);
  // Seals the current segment, immediately or after the write in flight, then calls `then`.
  void roll(std::function<void()> then);

  [[nodiscard]] bool idle() const {
    return !writing_ && waiting_.empty() && next_.requests.empty() && rolled_ == nullptr;
  }
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  void end();  // seals the current segment; call it at the end, when idle

 private:
  struct placed {
    const append_item* item;
    std::uint64_t sequence;
    std::uint32_t offset;                  // in the batch
    std::optional<key_index::room> index;  // nothing for the deletion of all keys
  };
  struct batch {
    aligned_memory memory;
    std::uint64_t bytes = 0;
    std::vector<placed> records;
    std::vector<append_request*> requests;
  };

  void run() override;  // starts the next write
  void io_done(std::int64_t result) noexcept override;
  void wake();
  [[nodiscard]] static std::uint64_t bytes_of(const append_request& request);
  void place(append_request& request, std::uint64_t bytes);
  void grow(std::uint64_t bytes, std::size_t records);
  void take_waiting();
  [[nodiscard]] int make_room();
  void refuse_growth(int error);
  void write();
  void commit();
  void finish(int error);

  log_content& content_;
  io_port& port_;
  reactor::task_scheduler& loop_;
  append_settings settings_;
  shared_segment active_;
  batch next_;
  batch current_;
  linked_fifo<append_request> waiting_;  // waiting for room in the next batch
  linked_fifo<append_request> too_long_;
  std::function<void()> rolled_;
  std::uint64_t batches_ = 0;
  std::uint64_t failures_ = 0;
  bool scheduled_ = false;
  bool writing_ = false;
  bool syncing_ = false;
};

}  // namespace stallscope::value_log
