// A limit on cost per second that lets a burst through. It keeps one time, until when everything
// taken so far is paid for, so that it needs no refilling and loses no fraction: the "generic cell
// rate algorithm" (ITU-T I.371). Two additions and a division a question; one thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "ioqueue/cost.hpp"

namespace stallscope::ioqueue {

struct token_rate {
  cost per_s = 0;  // from 1 to 2^40
  cost burst = 0;  // what a full bucket holds; dearer requests go when it is full
};

class token_bucket {
 public:
  // Full. Throws std::invalid_argument where the rate or the burst is out of its range.
  explicit token_bucket(const token_rate& rate);

  // When that much may be taken, if nothing else is taken before; not before `now`.
  [[nodiscard]] std::chrono::nanoseconds ready_at(cost wanted,
                                                  std::chrono::nanoseconds now) const noexcept;
  void take(cost taken, std::chrono::nanoseconds now) noexcept;

 private:
  [[nodiscard]] std::uint64_t ns_of(cost taken) const noexcept;

  token_rate rate_;
  std::uint64_t burst_ns_;
  std::uint64_t paid_until_ns_ = 0;
  std::uint64_t remainder_ = 0;  // of a ns, in 1/per_s
};

}  // namespace stallscope::ioqueue
