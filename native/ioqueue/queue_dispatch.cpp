// The queue's way down: which piece of which request goes next, and whether it may.
#include <algorithm>

#include "ioqueue/queue.hpp"

namespace stallscope::ioqueue {

std::size_t queue::dispatch() {
  expire();
  const auto now = clock_.now();
  std::size_t started = 0;
  while (!order_.empty()) {
    priority_class& owner = classes_[order_.first()];
    request& from = owner.waiting.first();
    const transfer piece = next_piece(from);
    const cost wanted = settings_.costs.of(piece.way, piece.size_bytes);
    const verdict found = admit(wanted, now);
    if (found == verdict::above_limit) ++owner.counted.limit_hits;
    if (found == verdict::no_tokens) ++owner.counted.token_waits;
    if (found != verdict::admitted || !start_piece(from, piece, wanted, now)) break;
    ++started;
  }
  if (started > 0) device_.flush();
  return started;
}

// The largest that one piece may be, in whole split_bytes; the last piece takes what is left.
transfer queue::next_piece(const request& from) const noexcept {
  transfer piece = from.wanted;
  piece.offset += from.started_bytes_;
  if (piece.memory != nullptr) piece.memory += from.started_bytes_;  // simulations have none
  piece.size_bytes -= from.started_bytes_;
  if (settings_.split_bytes == 0) return piece;
  std::uint64_t most = settings_.most_bytes == 0 ? piece.size_bytes : settings_.most_bytes;
  if (limit_ != 0) most = std::min(most, settings_.costs.bytes_within(piece.way, limit_));
  if (piece.size_bytes <= most) return piece;
  const std::uint64_t whole = most / settings_.split_bytes * settings_.split_bytes;
  piece.size_bytes = std::min(piece.size_bytes, std::max(whole, settings_.split_bytes));
  return piece;
}

// What is dearer than the limit all by itself holds all of it: else it would wait for ever.
cost queue::held_by(cost wanted) const noexcept {
  return limit_ == 0 ? wanted : std::min(wanted, limit_);
}

queue::verdict queue::admit(cost wanted, std::chrono::nanoseconds now) const noexcept {
  if (limit_ != 0 && in_flight_cost_ + held_by(wanted) > limit_) return verdict::above_limit;
  if (tokens_ && tokens_->ready_at(wanted, now) > now) return verdict::no_tokens;
  return verdict::admitted;
}

bool queue::start_piece(request& from, const transfer& piece, cost wanted,
                        std::chrono::nanoseconds now) {
  operation& begun = operations_.take();
  begun.piece = piece;
  begun.owner_ = this;
  begun.of_ = &from;
  begun.held_ = held_by(wanted);
  if (!device_.start(begun)) {
    operations_.give_back(begun);
    return false;
  }
  begun.previous_ = nullptr;
  begun.next_ = from.pieces_;
  if (from.pieces_ != nullptr) from.pieces_->previous_ = &begun;
  from.pieces_ = &begun;
  ++from.pieces_in_flight_;
  ++in_flight_;
  in_flight_cost_ += begun.held_;
  if (tokens_) tokens_->take(wanted, now);
  advance_line(from, piece, wanted, now);
  return true;
}

void queue::advance_line(request& from, const transfer& piece, cost wanted,
                         std::chrono::nanoseconds now) {
  priority_class& owner = of(from.class_);
  if (from.state_ == request::state::queued) {
    owner.counted.advance(now);
    --owner.counted.queued;
    ++owner.counted.executing;
    from.state_ = request::state::executing;
    from.started_at_ = now;
    owner.counted.delay.record(static_cast<std::uint64_t>((now - from.submitted_at_).count()));
    if (piece.size_bytes < from.wanted.size_bytes) ++owner.counted.split;
  }
  from.started_bytes_ += piece.size_bytes;
  if (from.started_bytes_ == from.wanted.size_bytes) {
    owner.waiting.remove(from);
    from.in_line_ = false;
  }
  order_.serve_first(wanted, !owner.waiting.empty());
}

void queue::expire() {
  while (!deadlines_.empty() && deadlines_.begin()->first <= clock_.now()) {
    request& late = *deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    if (late.asked_ == request::ending::by_itself) end_early(late, request::ending::expired);
  }
}

std::chrono::nanoseconds queue::next_wake() const {
  auto when = never;
  if (!deadlines_.empty()) when = deadlines_.begin()->first;
  if (order_.empty() || !tokens_) return when;
  const transfer piece = next_piece(classes_[order_.first()].waiting.first());
  const cost wanted = settings_.costs.of(piece.way, piece.size_bytes);
  const auto now = clock_.now();
  if (admit(wanted, now) != verdict::no_tokens) return when;
  return std::min(when, tokens_->ready_at(wanted, now));
}

}  // namespace stallscope::ioqueue
