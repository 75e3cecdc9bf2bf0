#include "ioqueue/fair_order.hpp"

#include <algorithm>
#include <stdexcept>

namespace stallscope::ioqueue {
namespace {

void check_shares(std::uint32_t shares) {
  if (shares < 1 || shares > fair_order::max_shares) {
    throw std::invalid_argument("expected 1 to 1000000 shares of a class");
  }
}

}  // namespace

fair_order::fair_order(cost wake_credit, std::int64_t rebase_above)
    : wake_credit_{std::min(wake_credit, max_cost)}, rebase_above_{rebase_above} {}

std::size_t fair_order::add(std::uint32_t shares) {
  check_shares(shares);
  classes_.push_back({.shares = shares});
  waiting_.reserve(classes_.size());  // wake() then needs no memory
  return classes_.size() - 1;
}

void fair_order::set_shares(std::size_t number, std::uint32_t shares) {
  check_shares(shares);
  classes_[number].shares = shares;
  classes_[number].remainder = 0;
}

bool fair_order::later(const turn& left, const turn& right) noexcept {
  if (left.position != right.position) return left.position > right.position;
  return left.sequence > right.sequence;
}

std::int64_t fair_order::floor_of(const member& waking) const noexcept {
  return last_served_ - static_cast<std::int64_t>((wake_credit_ << fraction_bits) / waking.shares);
}

void fair_order::push(std::size_t number) {
  waiting_.push_back({classes_[number].position, sequence_++, number});
  std::push_heap(waiting_.begin(), waiting_.end(), later);
}

void fair_order::wake(std::size_t number) {
  member& waking = classes_[number];
  waking.position = std::max(waking.position, floor_of(waking));
  waking.waiting = true;
  push(number);
}

void fair_order::serve_first(cost served, bool has_more) {
  const std::size_t number = first();
  member& served_class = classes_[number];
  last_served_ = std::max(last_served_, served_class.position);
  const std::uint64_t owed = (std::min(served, max_cost) << fraction_bits) + served_class.remainder;
  served_class.position += static_cast<std::int64_t>(owed / served_class.shares);
  served_class.remainder = owed % served_class.shares;
  std::pop_heap(waiting_.begin(), waiting_.end(), later);
  waiting_.pop_back();
  served_class.waiting = has_more;
  const bool high = served_class.position > rebase_above_;
  if (has_more) push(number);
  if (high) rebase();
}

void fair_order::remove(std::size_t number) {
  classes_[number].waiting = false;
  std::erase_if(waiting_, [number](const turn& waiting) { return waiting.number == number; });
  std::make_heap(waiting_.begin(), waiting_.end(), later);
}

// The order depends on differences only. An idle class loses what it has below its floor when it
// wakes in any case, because floors only rise.
void fair_order::rebase() noexcept {
  const std::int64_t origin = last_served_;
  for (member& idle : classes_) {
    if (!idle.waiting) idle.position = std::max(idle.position, floor_of(idle));
  }
  for (member& shifted : classes_) shifted.position -= origin;
  for (turn& shifted : waiting_) shifted.position -= origin;
  last_served_ = 0;
}

}  // namespace stallscope::ioqueue
