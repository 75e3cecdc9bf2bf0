// Admission to the device: the limit on cost in flight, and the token bucket. A few comparisons per
// request. Used by the queue's thread only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "ioqueue/cost.hpp"
#include "ioqueue/token_bucket.hpp"

namespace stallscope::ioqueue {

class admission {
 public:
  enum class decision : std::uint8_t { admitted, above_limit, no_tokens };

  // `limit` on cost in flight; 0: none.
  admission(cost limit, const std::optional<token_rate>& tokens) : limit_{limit} {
    if (tokens) tokens_.emplace(*tokens);
  }

  [[nodiscard]] cost limit() const noexcept { return limit_; }
  void set_limit(cost limit) noexcept { limit_ = limit; }  // what is in flight stays there
  [[nodiscard]] cost in_flight() const noexcept { return in_flight_; }

  [[nodiscard]] decision decide(cost cost, std::chrono::nanoseconds now) const noexcept {
    if (limit_ != 0 && in_flight_ + counted(cost) > limit_) return decision::above_limit;
    if (tokens_ && tokens_->ready_at(cost, now) > now) return decision::no_tokens;
    return decision::admitted;
  }

  // Counts an admitted cost as in flight; returns what release() must give back.
  [[nodiscard]] ioqueue::cost admit(cost cost, std::chrono::nanoseconds now) noexcept {
    if (tokens_) tokens_->take(cost, now);
    in_flight_ += counted(cost);
    return counted(cost);
  }
  void release(cost admitted) noexcept { in_flight_ -= admitted; }

  // The time from which there are enough tokens; empty without a token bucket.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> tokens_ready_at(
      cost cost, std::chrono::nanoseconds now) const noexcept {
    if (!tokens_) return std::nullopt;
    return tokens_->ready_at(cost, now);
  }

 private:
  // A request that is dearer than the limit counts as the limit, or it would wait forever.
  [[nodiscard]] ioqueue::cost counted(cost cost) const noexcept {
    return limit_ == 0 ? cost : std::min(cost, limit_);
  }

  ioqueue::cost limit_;
  std::optional<token_bucket> tokens_;
  ioqueue::cost in_flight_ = 0;
};

}  // namespace stallscope::ioqueue
