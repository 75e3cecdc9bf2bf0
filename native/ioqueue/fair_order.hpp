// The order in which classes are served: of the classes that have work, the one that has received
// the least cost per share is next. Ties go to the class that has waited longest.
//
// For two classes a and b that always have work, |Wa/sa - Wb/sb| <= ca/sa + cb/sb, where W is the
// served cost, s the shares and c the largest cost of one request (start-time fair queueing; Goyal,
// Vin and Cheng, 1996). A class that wakes continues at the position of the last served one, less a
// bounded credit; service that it did not use before is lost. A turn costs one heap operation, some
// 20 ns with a few classes. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ioqueue/cost.hpp"

namespace stallscope::ioqueue {

class fair_order {
 public:
  static constexpr std::uint32_t max_shares = 1'000'000;
  // Cost per share is kept in units of 1/2^16.
  static constexpr unsigned fraction_bits = 16;

  // `wake_credit` is the cost that a waking class may be served ahead of busy classes. Positions
  // above `rebase_above` are moved back so that they never overflow, which changes no order.
  explicit fair_order(cost wake_credit, std::int64_t rebase_above = std::int64_t{1} << 61U);

  // Returns the number of the new class, from 0. Throws std::invalid_argument if shares are out of
  // range.
  std::size_t add(std::uint32_t shares);
  // Takes effect with the next request.
  void set_shares(std::size_t number, std::uint32_t shares);

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  [[nodiscard]] std::size_t first() const noexcept { return waiting_.front().number; }
  [[nodiscard]] bool is_waiting(std::size_t number) const noexcept {
    return classes_[number].waiting;
  }

  void wake(std::size_t number);  // the class has work now
  // Accounts the cost served to the first class, which waits again or has no more work.
  void serve_first(cost served, bool has_more);
  void remove(std::size_t number);  // the work of the class is gone without service

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
