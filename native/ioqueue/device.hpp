// The interface between the queue and a device. io_uring, the simulator and tests implement it.
// Used by the queue's thread only.
#pragma once

#include <cstdint>

#include "ioqueue/cost.hpp"
#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

class operation;
class request;

class completion_sink {
 public:
  virtual void completed(operation& operation, std::int64_t result) = 0;

 protected:
  ~completion_sink() = default;
};

// One transfer in flight: a request or a piece of one. Its address is stable until complete().
class operation {
 public:
  operation() = default;
  // For an owner other than a queue; the owner is notified of the completion.
  explicit operation(completion_sink& owner) : owner_{&owner} {}

  transfer piece;
  std::uint64_t device_mark = 0;  // free for the device

  // Called by the device exactly once, with the transferred bytes or -errno, and never from within
  // start() or cancel(). Afterwards the operation belongs to the queue again.
  void complete(std::int64_t result) { owner_->completed(*this, result); }

 private:
  friend class queue;
  friend class operation_pool;

  completion_sink* owner_ = nullptr;
  request* request_ = nullptr;
  cost admitted_cost_ = 0;
  operation* next_ = nullptr;
  operation* previous_ = nullptr;
};

class device {
 public:
  // Accepts the operation; false if there is no room until another one completes.
  [[nodiscard]] virtual bool start(operation& operation) = 0;
  // Called after the operations of a round were started, for one system call for all of them.
  virtual void flush() {}
  // Requests an early end. The operation completes in any case, with -ECANCELED or normally.
  virtual void cancel(operation& operation) noexcept = 0;

 protected:
  ~device() = default;
};

}  // namespace stallscope::ioqueue
