// A device on io_uring. Operations that the queue starts reach the kernel with the next wait(), so
// that a turn of the loop is one system call. Used by the thread that created it only.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "disk/ring.hpp"
#include "ioqueue/device.hpp"

namespace stallscope::ioqueue {

class uring_device final : public device {
 public:
  // Throws std::system_error if the kernel refuses the ring.
  explicit uring_device(unsigned max_in_flight);

  // Registers buffers, which transfers then name by their index (`buffer`). Call it once. False if
  // the kernel refuses: then transfers name none.
  [[nodiscard]] bool register_buffers(std::span<const iovec> buffers) noexcept;

  [[nodiscard]] bool start(operation& operation) override;
  // A disk rarely gives up an operation; then it completes normally.
  void cancel(operation& operation) noexcept override;

  // Submits the started operations and waits until one completes, a signal arrives, or the time
  // `until` (CLOCK_MONOTONIC) is reached. Completes what has ended; returns the number.
  std::size_t wait(std::chrono::nanoseconds until);

 private:
  struct completion {
    ioqueue::operation* operation;
    int result;
  };

  disk::ring ring_;
  unsigned max_in_flight_;
  unsigned in_flight_ = 0;
  std::vector<completion> completions_;
};

}  // namespace stallscope::ioqueue
