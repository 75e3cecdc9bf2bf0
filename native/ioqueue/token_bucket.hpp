// A limit on cost per second that admits a burst. It keeps only the time until which everything
// taken is paid for, so that it needs no refill and loses no fraction (generic cell rate algorithm,
// ITU-T I.371). Two additions and a division per query. One thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "ioqueue/cost.hpp"

namespace stallscope::ioqueue {

struct token_rate {
  cost per_s = 0;  // from 1 to 2^40
  cost burst = 0;  // of a full bucket; a dearer request is admitted if it is full
};

class token_bucket {
 public:
  // The bucket is full. Throws std::invalid_argument if the rate or the burst is out of range.
  explicit token_bucket(const token_rate& rate);

  // The time from which the cost may be taken, if nothing is taken before; at least `now`.
  [[nodiscard]] std::chrono::nanoseconds ready_at(cost cost,
                                                  std::chrono::nanoseconds now) const noexcept;
  void take(cost cost, std::chrono::nanoseconds now) noexcept;

 private:
  [[nodiscard]] std::uint64_t ns_of(cost cost) const noexcept;

  token_rate rate_;
  std::uint64_t burst_ns_;
  std::uint64_t paid_until_ns_ = 0;
  std::uint64_t remainder_ = 0;  // of a ns, in 1/per_s
};

}  // namespace stallscope::ioqueue
