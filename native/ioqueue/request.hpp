// A request to the queue, and how it ends. It belongs to whoever made it, who keeps it and its
// memory until settled(): the queue links it and allocates nothing. One thread, the queue's.
#pragma once

#include <chrono>
#include <cstdint>

#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

class operation;

enum class class_id : std::uint32_t {};

enum class outcome : std::uint8_t {
  done,       // the result is the bytes carried, which may be fewer than asked for
  failed,     // the result is -errno
  cancelled,  // as its owner asked; the result is -ECANCELED
  expired,    // its deadline came first; the result is -ETIMEDOUT
};

class request {
 public:
  request() = default;
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  request(request&&) = delete;
  request& operator=(request&&) = delete;

  // Both are left alone from submit() to settled().
  transfer wanted;
  // Of the queue's clock; zero: none. Queued ones expire by themselves, the device is asked to
  // cancel those that are in flight.
  std::chrono::nanoseconds deadline{0};

  // Exactly once for each submit() that took it. The request is free again by then: it may be
  // submitted anew, or destroyed, from within.
  virtual void settled(outcome how, std::int64_t result) = 0;

  // By the queue's clock, of the last time it was submitted; until it is submitted again.
  [[nodiscard]] std::chrono::nanoseconds submitted_at() const noexcept { return submitted_at_; }
  [[nodiscard]] std::chrono::nanoseconds started_at() const noexcept { return started_at_; }
  // In no queue, neither waiting nor in flight.
  [[nodiscard]] bool is_free() const noexcept { return state_ == state::free; }

 protected:
  ~request() = default;

 private:
  friend class queue;
  friend class request_list;

  enum class state : std::uint8_t { free, queued, executing };
  enum class ending : std::uint8_t { by_itself, cancelled, expired };

  state state_ = state::free;
  ending asked_ = ending::by_itself;
  bool has_cancelled_piece_ = false;
  bool in_line_ = false;
  class_id class_{};
  int error_ = 0;
  std::uint32_t pieces_in_flight_ = 0;
  std::uint64_t started_bytes_ = 0;  // handed to the device, from the first on
  std::uint64_t carried_bytes_ = 0;  // as far as no piece came back short
  std::chrono::nanoseconds submitted_at_{};
  std::chrono::nanoseconds started_at_{};
  operation* pieces_ = nullptr;  // in flight
  request* next_ = nullptr;
  request* previous_ = nullptr;
};

}  // namespace stallscope::ioqueue
