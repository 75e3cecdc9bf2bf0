// Detects threads that two events sample on the same CPU, closes the later event and drops its
// samples.
//
// A thread created during the attachment may have inherited its parent's events on the CPUs opened
// so far. The kernel does not report which, so the thread is opened on all CPUs and the samples
// decide: a sample carries the id of its event, and an inherited event carries the id of its
// origin. Two ids for one thread on one CPU are a duplicate, and the event opened later is
// redundant. Costs two look-ups per sample while any event is suspect. An event that sampled its
// own thread several times, with no second id, is cleared. One thread: that of the drain.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "collect/drain.hpp"
#include "collect/event_table.hpp"

namespace stallscope::collect {

class duplicate_sieve : public sieve {
 public:
  explicit duplicate_sieve(event_table& events) : events_{&events} {}

  // Marks an event as suspect: its thread was created after the first event was opened.
  void suspect(std::size_t number) { suspects_.insert(number); }

  [[nodiscard]] bool watching() const override { return !suspects_.empty() || !redundant_.empty(); }
  void observe(const perf_events::record_view& record, std::size_t ring_index) override;
  void settle() override;
  [[nodiscard]] bool keep(const perf_events::record_view& record) const override;

  [[nodiscard]] std::size_t closed() const { return closed_; }

 private:
  struct witness {
    std::size_t number = 0;  // the event of the thread's first sample
    std::uint32_t samples = 0;
  };
  void judge(std::size_t first, std::size_t second);

  event_table* events_;
  std::unordered_set<std::size_t> suspects_;
  std::unordered_set<std::uint64_t> redundant_;  // ids, until their samples have left the rings
  std::unordered_map<std::uint64_t, witness> witnesses_;  // by tid and ring
  std::size_t closed_ = 0;
  std::uint32_t rounds_since_redundant_ = 0;
};

}  // namespace stallscope::collect
