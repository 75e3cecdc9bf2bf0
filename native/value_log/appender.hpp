// Appends records to the newest segment: all that come in one turn of the loop, and while the batch
// before is being written, become one write. It begins at a block and is padded to one, so that no
// later write touches what was answered; one write at a time, so that what is behind a hole was
// never answered. The index learns of records when they are written, or with `durable` when the
// kernel says that they outlive a loss of power.
//
// A write that fails is cut off, and the segment with it: what was answered before stays. New
// records that need room are refused while the disk has less free than two segments; deletions and
// compaction may use that.
//
// Costs a copy and a hash of each record, memory for two batches. One thread, the shard's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

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

// Stays in place, with what it points to, until it is appended, or is not.
class append_request {
 public:
  std::vector<append_item> items;  // all of them or none
  bool needs_room = false;         // not where it only deletes

  // 0, or an errno: EMSGSIZE where it is longer than a segment. Never from within append().
  virtual void appended(int error) = 0;

 protected:
  ~append_request() = default;
};

struct append_settings {
  bool durable = false;
  std::uint64_t most_batch_bytes = std::uint64_t{1} << 20U;  // one request may be more
};

class appender final : private io_request, private reactor::task {
 public:
  appender(log_content& content, io_port& port, reactor::task_scheduler& loop,
           const append_settings& settings)
      : content_(content), port_(port), loop_(loop), settings_(settings) {}

  void append(append_request& wanted);
  // Ends the segment that is written to, at once or after the write under way; then calls back.
  void roll(std::function<void()> then);

  [[nodiscard]] bool idle() const {
    return !writing_ && waiting_.empty() && next_.requests.empty() && rolled_ == nullptr;
  }
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  void end();  // seals what is written to: at the end, when idle

 private:
  struct placed {
    append_request* from;
    const append_item* item;
    std::uint64_t sequence;
    std::uint32_t offset;  // in the batch
  };
  struct batch {
    aligned_memory memory;
    std::uint64_t bytes = 0;
    std::vector<placed> records;
    std::vector<append_request*> requests;
  };

  void run() override;  // writes what has come
  void io_done(std::int64_t result) override;
  void wake();
  [[nodiscard]] static std::uint64_t bytes_of(const append_request& wanted);
  void place(append_request& wanted, std::uint64_t bytes);
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
  std::deque<append_request*> waiting_;  // for room in the next batch
  std::deque<append_request*> too_long_;
  std::function<void()> rolled_;
  std::uint64_t batches_ = 0;
  std::uint64_t failures_ = 0;
  bool scheduled_ = false;
  bool writing_ = false;
  bool syncing_ = false;
};

}  // namespace stallscope::value_log
