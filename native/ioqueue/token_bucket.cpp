#include "ioqueue/token_bucket.hpp"

#include <algorithm>
#include <stdexcept>

namespace stallscope::ioqueue {
namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

// Beyond 64 bits, which a cost of 2^40 at so many ns a second needs.
__extension__ using wide = unsigned __int128;

std::uint64_t count_of(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()));
}

}  // namespace

token_bucket::token_bucket(const token_rate& rate) : rate_{rate} {
  if (rate.per_s < 1 || rate.per_s > most_cost || rate.burst < 1 || rate.burst > most_cost) {
    throw std::invalid_argument("a token bucket's rate and burst are from 1 to 2^40");
  }
  burst_ns_ = ns_of(rate.burst);
}

std::uint64_t token_bucket::ns_of(cost taken) const noexcept {
  return static_cast<std::uint64_t>(wide{taken} * ns_per_s / rate_.per_s);
}

std::chrono::nanoseconds token_bucket::ready_at(cost wanted,
                                                std::chrono::nanoseconds now) const noexcept {
  const std::uint64_t needed = std::min(ns_of(wanted), burst_ns_);
  const std::uint64_t paid = paid_until_ns_ + needed;
  const std::uint64_t ready = paid > burst_ns_ ? paid - burst_ns_ : 0;
  return std::chrono::nanoseconds(std::max(ready, count_of(now)));
}

void token_bucket::take(cost taken, std::chrono::nanoseconds now) noexcept {
  if (paid_until_ns_ < count_of(now)) {
    paid_until_ns_ = count_of(now);
    remainder_ = 0;
  }
  const wide owed = wide{taken} * ns_per_s + remainder_;
  paid_until_ns_ += static_cast<std::uint64_t>(owed / rate_.per_s);
  remainder_ = static_cast<std::uint64_t>(owed % rate_.per_s);
}

}  // namespace stallscope::ioqueue
