// Finds threads that two events sample on the same CPU, closes the later event and leaves its
// samples out.
//
// A thread born while its process is being attached to may have inherited its parent's events on
// the CPUs opened so far. It must be opened on the others, but which those are no one tells: so it
// is opened on all, and the samples tell. They carry the id of the event they come from, an
// inherited event that of its origin: two ids for one thread on one CPU are a duplicate, and the
// one opened later is it. Costs two look-ups a sample while any event is under suspicion; an event
// that sampled its own thread for a while with no other beside it is cleared.
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

  // Puts an event under suspicion: its thread was born after the first event was opened.
  void suspect(std::size_t number) { suspects_.insert(number); }

  [[nodiscard]] bool watching() const override { return !suspects_.empty() || !redundant_.empty(); }
  void observe(const perf_events::record_view& record, std::size_t ring_index) override;
  void settle() override;
  [[nodiscard]] bool keep(const perf_events::record_view& record) const override;

  [[nodiscard]] std::size_t closed() const { return closed_; }

 private:
  struct witness {
    std::size_t number = 0;  // of the event seen first
    std::uint32_t samples = 0;
  };
  void judge(std::size_t first, std::size_t second);

  event_table* events_;
  std::unordered_set<std::size_t> suspects_;
  std::unordered_set<std::uint64_t> redundant_;           // ids, until their samples have passed
  std::unordered_map<std::uint64_t, witness> witnesses_;  // by tid and ring
  std::size_t closed_ = 0;
  std::uint32_t rounds_since_redundant_ = 0;
};

}  // namespace stallscope::collect
