// What the queue needs of a device, and what it hands to it. io_uring, the simulator and tests
// implement it. One thread, the queue's.
#pragma once

#include <cstdint>

#include "ioqueue/cost.hpp"
#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

class operation;
class request;

class completion_sink {
 public:
  virtual void completed(operation& ended, std::int64_t result) = 0;

 protected:
  ~completion_sink() = default;
};

// One transfer in flight: a request or a piece of one. It stays where it is until complete().
class operation {
 public:
  operation() = default;
  // Of another owner than a queue, which is told when it is complete.
  explicit operation(completion_sink& owner) : owner_{&owner} {}

  transfer piece;
  std::uint64_t device_mark = 0;  // the device's own

  // By the device, exactly once: the bytes carried or -errno. Never from within start() or
  // cancel(). The operation is the queue's again afterwards.
  void complete(std::int64_t result) { owner_->completed(*this, result); }

 private:
  friend class queue;
  friend class operation_pool;

  completion_sink* owner_ = nullptr;
  request* of_ = nullptr;
  cost held_ = 0;
  operation* next_ = nullptr;
  operation* previous_ = nullptr;
};

class device {
 public:
  // Takes the operation, or says no because it has no room before another one completes.
  [[nodiscard]] virtual bool start(operation& begun) = 0;
  // Everything of this round was started: the time for one system call for all of it.
  virtual void flush() {}
  // Asks for an early end. The operation completes in any case, with -ECANCELED or as it does.
  virtual void cancel(operation& unwanted) noexcept = 0;

 protected:
  ~device() = default;
};

}  // namespace stallscope::ioqueue
