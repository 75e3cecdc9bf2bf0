// Follows block requests through their tracepoints: inserted, issued, completed; merged, split and
// put back on the way. Events name no request, only a device, an operation and a sector: requests
// that share all three are taken first come, first served. Belongs to one thread; some 150 ns an
// event, and memory for what is under way.
//
// Who asked is whoever inserted a request, or issued it where nothing inserted it; never the task
// that a completion interrupted. A flush is issued by the kernel's own worker: who asked is the
// first that wanted one since the flush before. After a loss nothing under way is trusted.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "block_trace/event.hpp"

namespace stallscope::block_trace {

inline constexpr std::int64_t unknown_ns = -1;
inline constexpr std::uint64_t stale_ns = 30'000'000'000;  // the SCSI layer's own patience
inline constexpr std::size_t most_pending = 1U << 20;

// A request that completed.
struct finished_request {
  std::uint64_t end_ns = 0;
  std::int64_t queue_ns = unknown_ns;   // from its insertion to its last issue; unknown: never seen
  std::int64_t device_ns = unknown_ns;  // from there to its completion
  std::uint32_t device = 0;
  std::uint32_t bytes = 0;
  std::int32_t pid = 0;
  std::int32_t error = 0;
  operation op = operation::other;
  bool of_bio = false;  // of a device without requests: all of its time is told as the device's
  task_name comm{};
};

struct pairing_counts {
  std::uint64_t merged_requests = 0;  // inserted, and then a part of another
  std::uint64_t splits = 0;
  std::uint64_t requeues = 0;
  std::uint64_t partial = 0;          // completions of a part of a request
  std::uint64_t same_sector = 0;      // came while another of the same sector was under way
  std::uint64_t flushes_asked = 0;    // completions of requests that held a flush and no data
  std::uint64_t begin_unseen = 0;     // completions of requests not seen before
  std::uint64_t out_of_order = 0;     // completed before they were issued, by their times
  std::uint64_t never_completed = 0;  // given up, as another of the same sector came and went
  std::uint64_t discarded = 0;        // under way when events were lost
};

class pairing {
 public:
  // Takes the next event, in order of time; calls for `lost` forget what is under way.
  void take(const block_event& event);

  [[nodiscard]] const pairing_counts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t under_way() const noexcept { return under_way_; }
  // What completed since the last call.
  [[nodiscard]] std::vector<finished_request> finished();

 private:
  struct key {
    std::uint64_t sector = 0;
    std::uint32_t device = 0;
    operation op = operation::other;
    bool of_bio = false;
    bool operator==(const key&) const = default;
  };
  struct key_hash {
    std::size_t operator()(const key& of) const noexcept;
  };
  enum class state : std::uint8_t { queued, issued };
  struct pending {
    std::uint64_t queued_ns = 0;
    std::uint64_t issued_ns = 0;
    std::uint32_t sectors = 0;
    std::uint32_t bytes = 0;
    std::int32_t pid = 0;
    std::int32_t error = 0;
    state at = state::queued;
    bool was_queued = false;
    bool requeued = false;
    task_name comm{};
  };
  using waiting = std::vector<pending>;  // of one key, the oldest first; hardly ever two

  void inserted(const block_event& event, const key& of);
  void issued(const block_event& event, const key& of);
  void completed(const block_event& event, const key& of);
  void put_back(const key& of);
  void ask_flush(const block_event& event);
  void name_asker(pending& flush, std::uint32_t device);
  void merged(const key& of);
  void merged_in_front(const block_event& event, key of);
  void forget_all();

  pending& begin(const block_event& event, const key& of);
  void finish(const block_event& event, const pending& done, const key& of);
  void drop_stale(waiting& all, std::uint64_t now_ns);
  void remove(const key& of, std::size_t place);

  std::unordered_map<key, waiting, key_hash> pending_;
  std::unordered_map<std::uint32_t, block_event> flush_askers_;  // by device
  std::vector<finished_request> finished_;
  pairing_counts counts_;
  std::size_t under_way_ = 0;
};

}  // namespace stallscope::block_trace
