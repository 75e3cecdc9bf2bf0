// A request to the queue. Derive from it and implement settled(). Its owner keeps it and its memory
// until settled(); the queue links it and allocates nothing. Used by the queue's thread only.
#pragma once

#include <chrono>
#include <cstdint>

#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

class operation;

enum class class_id : std::uint32_t {};

enum class outcome : std::uint8_t {
  done,       // the result is the number of transferred bytes, which may be short
  failed,     // the result is -errno
  cancelled,  // by cancel(); the result is -ECANCELED
  expired,    // after the deadline; the result is -ETIMEDOUT
};

class request {
 public:
  request() = default;
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  request(request&&) = delete;
  request& operator=(request&&) = delete;

  // Do not change these two between submit() and settled().
  transfer io;
  // By the queue's clock; zero: none. A queued request expires then; one in flight is cancelled.
  std::chrono::nanoseconds deadline{0};

  // Called exactly once for each successful submit(). The request is free by then: it may be
  // submitted again or destroyed from within.
  virtual void settled(outcome outcome, std::int64_t result) = 0;

  // Times of the last submission, by the queue's clock.
  [[nodiscard]] std::chrono::nanoseconds submitted_at() const noexcept { return submitted_at_; }
  [[nodiscard]] std::chrono::nanoseconds started_at() const noexcept { return started_at_; }
  // Neither queued nor in flight.
  [[nodiscard]] bool is_free() const noexcept { return state_ == state::free; }

 protected:
  ~request() = default;

 private:
  friend class queue;
  friend class request_list;

  enum class state : std::uint8_t { free, queued, executing };
  enum class ending : std::uint8_t { normal, cancelled, expired };

  state state_ = state::free;
  ending ending_ = ending::normal;
  bool has_cancelled_piece_ = false;
  bool is_waiting_ = false;
  class_id class_{};
  int error_ = 0;
  std::uint32_t pieces_in_flight_ = 0;
  std::uint64_t started_bytes_ = 0;      // handed to the device, from the beginning
  std::uint64_t transferred_bytes_ = 0;  // up to the first short piece
  std::chrono::nanoseconds submitted_at_{};
  std::chrono::nanoseconds started_at_{};
  operation* pieces_ = nullptr;  // in flight
  request* next_ = nullptr;
  request* previous_ = nullptr;
};

}  // namespace stallscope::ioqueue
