// Interface for submitting requests and receiving completions, with a clock: io_uring, one system
// call at a time, or a simulated device. A virtual call per request costs about 2 ns. One thread.
//
//   channel.prepare({.slot = 0, .write = false, .offset = 4096});
//   std::size_t count = channel.wait(completions, 1, 1'000'000);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::disk {

struct request {
  unsigned slot;  // below the depth; the completion carries the same slot
  bool write;
  std::uint64_t offset;
};

struct completion {
  unsigned slot;
  std::int32_t result;  // bytes, or -errno
};

class channel {
 public:
  channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  channel(channel&&) = delete;
  channel& operator=(channel&&) = delete;
  virtual ~channel() = default;

  [[nodiscard]] virtual std::uint64_t now_ns() = 0;
  // Queues a request for the next submit() or wait().
  virtual void prepare(const request& request) = 0;
  // Submits the prepared requests without waiting for completions.
  virtual void submit() = 0;
  // Submits the prepared requests, then waits for `min_count` completions, until the timeout or a
  // signal. Returns the number of completions, which may exceed `min_count` or be 0.
  virtual std::size_t wait(std::span<completion> done, unsigned min_count,
                           std::uint64_t timeout_ns) = 0;
};

}  // namespace stallscope::disk
