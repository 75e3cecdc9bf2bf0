// Follows block requests through their tracepoints: insert, issue and complete, with merges, splits
// and requeues in between. Costs about 150 ns per event, and memory for the pending requests. One
// thread.
//
//   pairing pairs;
//   for (const block_event& event : events) pairs.add(event);  // in order of time
//   for (const completed_request& request : pairs.take_completed()) ...
//
// Events do not identify a request, only a device, an operation and a sector. Requests with the
// same key are matched first in, first out. A request belongs to the task that inserted it, or
// issued it if it was never inserted, not to the task that the completion interrupted. A kernel
// worker issues flushes; a flush belongs to the first task that requested one since the previous
// flush. A loss of events discards all pending requests.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "block_trace/event.hpp"

namespace stallscope::block_trace {

inline constexpr std::int64_t unknown_ns = -1;
inline constexpr std::uint64_t stale_ns = 30'000'000'000;  // timeout of the SCSI layer
inline constexpr std::size_t max_pending = 1U << 20;

// A request that completed.
struct completed_request {
  std::uint64_t end_ns = 0;
  std::int64_t queue_ns = unknown_ns;   // from insert to the last issue; unknown if not observed
  std::int64_t device_ns = unknown_ns;  // from the last issue to completion
  std::uint32_t device = 0;
  std::uint32_t bytes = 0;
  std::int32_t pid = 0;
  std::int32_t error = 0;
  operation op = operation::other;
  bool is_bio = false;  // a bio of a device without a request queue; all time counts as device time
  task_name comm{};
};

struct pairing_counts {
  std::uint64_t merged_requests = 0;  // inserted, then merged into another request
  std::uint64_t splits = 0;
  std::uint64_t requeues = 0;
  std::uint64_t partial = 0;            // completions of part of a request
  std::uint64_t same_sector = 0;        // began while a request for the same sector was pending
  std::uint64_t flushes_requested = 0;  // completions of requests with a flush and no data
  std::uint64_t begin_unseen = 0;       // completions of requests whose begin was not observed
  std::uint64_t out_of_order = 0;       // completion timestamp before the issue
  std::uint64_t never_completed = 0;    // dropped because a later request for the sector completed
  std::uint64_t discarded = 0;          // pending when events were lost
};

class pairing {
 public:
  // Adds the next event, in order of time; a `lost` event discards all pending requests.
  void add(const block_event& event);

  [[nodiscard]] const pairing_counts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t pending_count() const noexcept { return pending_count_; }
  // Returns the requests completed since the previous call.
  [[nodiscard]] std::vector<completed_request> take_completed();

 private:
  struct key {
    std::uint64_t sector = 0;
    std::uint32_t device = 0;
    operation op = operation::other;
    bool is_bio = false;
    bool operator==(const key&) const = default;
  };
  struct key_hash {
    std::size_t operator()(const key& id) const noexcept;
  };
  enum class state : std::uint8_t { queued, issued };
  struct pending_request {
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
  using request_list = std::vector<pending_request>;  // one key, oldest first; rarely two

  void inserted(const block_event& event, const key& id);
  void issued(const block_event& event, const key& id);
  void completed(const block_event& event, const key& id);
  void requeued(const key& id);
  void record_flush_origin(const block_event& event);
  void assign_flush_origin(pending_request& flush, std::uint32_t device);
  void merged(const key& id);
  void merged_in_front(const block_event& event, key id);
  void discard_all();

  pending_request& begin(const block_event& event, const key& id);
  void finish(const block_event& event, const pending_request& done, const key& id);
  void drop_stale(request_list& requests, std::uint64_t now_ns);
  void remove(const key& id, std::size_t index);

  std::unordered_map<key, request_list, key_hash> pending_;
  std::unordered_map<std::uint32_t, block_event> flush_origins_;  // by device
  std::vector<completed_request> completed_;
  pairing_counts counts_;
  std::size_t pending_count_ = 0;
};

}  // namespace stallscope::block_trace
