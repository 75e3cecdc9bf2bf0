// Whose turn it is: of the classes that have work, the one that was served least cost per share.
// Ties go to whoever has been waiting for its turn longest.
//
// Two classes a and b that both have work all the time are served |Wa/sa - Wb/sb| <= ca/sa + cb/sb
// apart, c being the dearest single request (start-time fair queueing; Goyal, Vin and Cheng, 1996).
// A class that wakes continues from where the last served one stood, less a bounded credit: what
// it left unused before is gone. A turn costs a heap operation on as many entries as classes have
// work, some 20 ns with a few; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ioqueue/cost.hpp"

namespace stallscope::ioqueue {

class fair_order {
 public:
  static constexpr std::uint32_t most_shares = 1'000'000;
  // Costs over shares are kept in 1/2^16.
  static constexpr unsigned fraction_bits = 16;

  // `wake_credit`: how much a class that wakes may be served ahead of those that were busy.
  // `rebase_above`: where positions are moved back, so that they never overflow; invisible.
  explicit fair_order(cost wake_credit, std::int64_t rebase_above = std::int64_t{1} << 61U);

  // Its number, counted from 0. Throws std::invalid_argument where shares are 0 or too many.
  std::size_t add(std::uint32_t shares);
  // From the next request on.
  void set_shares(std::size_t number, std::uint32_t shares);

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  [[nodiscard]] std::size_t first() const noexcept { return waiting_.front().number; }
  [[nodiscard]] bool is_waiting(std::size_t number) const noexcept {
    return classes_[number].waiting;
  }

  void wake(std::size_t number);  // it has work now
  // The first one was served that much; it waits for its next turn, or has no more work.
  void serve_first(cost served, bool has_more);
  void remove(std::size_t number);  // its work went away unserved

 private:
  struct member {
    std::uint32_t shares;
    std::int64_t position = 0;    // cost served per share
    std::uint64_t remainder = 0;  // of a position, in 1/shares
    bool waiting = false;
  };
  struct turn {
    std::int64_t position;
    std::uint64_t sequence;
    std::size_t number;
  };
  [[nodiscard]] static bool later(const turn& left, const turn& right) noexcept;
  [[nodiscard]] std::int64_t floor_of(const member& waking) const noexcept;
  void push(std::size_t number);
  void rebase() noexcept;

  cost wake_credit_;
  std::int64_t rebase_above_;
  std::int64_t last_served_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<member> classes_;
  std::vector<turn> waiting_;  // a heap
};

}  // namespace stallscope::ioqueue
