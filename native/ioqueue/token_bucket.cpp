#include "ioqueue/token_bucket.hpp"

#include <algorithm>
#include <stdexcept>

namespace stallscope::ioqueue {
namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

// A cost of 2^40 times the nanoseconds of a second exceeds 64 bits.
__extension__ using wide = unsigned __int128;

std::uint64_t count_of(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()));
}

}  // namespace

token_bucket::token_bucket(const token_rate& rate) : rate_{rate} {
  if (rate.per_s < 1 || rate.per_s > max_cost || rate.burst < 1 || rate.burst > max_cost) {
    throw std::invalid_argument("rate and burst of a token bucket must be from 1 to 2^40");
  }
  burst_ns_ = ns_of(rate.burst);
}

std::uint64_t token_bucket::ns_of(cost cost) const noexcept {
  return static_cast<std::uint64_t>(wide{cost} * ns_per_s / rate_.per_s);
}

std::chrono::nanoseconds token_bucket::ready_at(cost cost,
                                                std::chrono::nanoseconds now) const noexcept {
  const std::uint64_t needed = std::min(ns_of(cost), burst_ns_);
  const std::uint64_t paid = paid_until_ns_ + needed;
  const std::uint64_t ready = paid > burst_ns_ ? paid - burst_ns_ : 0;
  return std::chrono::nanoseconds(std::max(ready, count_of(now)));
}

void token_bucket::take(cost cost, std::chrono::nanoseconds now) noexcept {
  if (paid_until_ns_ < count_of(now)) {
    paid_until_ns_ = count_of(now);
    remainder_ = 0;
  }
  const wide owed = wide{cost} * ns_per_s + remainder_;
  paid_until_ns_ += static_cast<std::uint64_t>(owed / rate_.per_s);
  remainder_ = static_cast<std::uint64_t>(owed % rate_.per_s);
}

}  // namespace stallscope::ioqueue
