// A fair queue in front of a device. Classes with shares, each first in, first out, take turns by
// accumulated cost. The cost in flight stays below a limit, so that requests wait here, where a
// latency-sensitive class can still pass them, and not in the device, where it cannot.
//
//   queue queue(device, clock, {.costs = costs, .limit = 64});
//   const class_id reads = queue.add_class({.name = "reads", .shares = 1000});
//   if (!queue.submit(reads, request)) ...  // the class is full: submit it again later
//   queue.dispatch();                       // once per turn of the loop
//
// The device completes operations between turns. settled() of a request is called from within
// completed(), cancel() and dispatch(), and may call submit() and cancel(). A request costs some
// 0.11 us of CPU time (docs/benchmarks.md) and allocates nothing once the largest number in flight
// was reached; submit() without a deadline never allocates, and a dispatch() that throws
// std::bad_alloc leaves the requests queued. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ioqueue/admission.hpp"
#include "ioqueue/class_metrics.hpp"
#include "ioqueue/cost.hpp"
#include "ioqueue/device.hpp"
#include "ioqueue/fair_order.hpp"
#include "ioqueue/operation_pool.hpp"
#include "ioqueue/piece_sizes.hpp"
#include "ioqueue/request.hpp"
#include "ioqueue/request_list.hpp"
#include "ioqueue/time_source.hpp"

namespace stallscope::ioqueue {

struct queue_settings {
  cost_model costs = {};
  cost limit = 0;  // on cost in flight; 0: none
  std::optional<token_rate> tokens = std::nullopt;
  // Larger requests, and those dearer than the limit, are split; 0: only the limit splits.
  std::uint64_t most_bytes = 0;
  // Pieces are multiples of this size; 0: requests are not split, and one that is dearer than the
  // limit runs alone.
  std::uint64_t split_bytes = block_bytes;
  // A class that wakes may be served ahead by the work of the device in this time.
  std::chrono::nanoseconds tau = std::chrono::milliseconds{5};
  unsigned histogram_digits = 3;
};

struct class_settings {
  std::string name = {};
  std::uint32_t shares = 100;  // 1 to fair_order::max_shares
  std::size_t max_queued = 1024;
};

class queue final : public completion_sink {
 public:
  static constexpr std::chrono::nanoseconds never = std::chrono::nanoseconds::max();

  // Device and clock must outlive the queue. Throws std::invalid_argument for invalid settings.
  queue(device& device, const time_source& clock, const queue_settings& settings);
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  queue(queue&&) = delete;
  queue& operator=(queue&&) = delete;
  ~queue() = default;

  // Throws std::invalid_argument.
  class_id add_class(class_settings settings);
  void set_shares(class_id number, std::uint32_t shares);
  void set_limit(cost limit);  // 0: none; what is in flight stays there

  // False if the class is full: submit it again after a request of the class was started.
  [[nodiscard]] bool submit(class_id number, request& request);
  // Settles a waiting request at once. A request in flight is cancelled in the device and settled
  // when it completes, perhaps as done. A free request is not changed.
  void cancel(request& request);
  // Settles expired requests and hands the device everything that is admitted; returns the number
  // of operations.
  std::size_t dispatch();
  // When dispatch() is due although nothing completes or is submitted: for a deadline or tokens.
  [[nodiscard]] std::chrono::nanoseconds next_wake() const;

  void completed(operation& operation, std::int64_t result) override;

  [[nodiscard]] cost in_flight_cost() const noexcept { return admission_.in_flight(); }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }  // operations
  [[nodiscard]] cost limit() const noexcept { return admission_.limit(); }
  [[nodiscard]] const class_settings& settings_of(class_id number) const;
  // The integrals reach to now.
  const class_metrics& metrics(class_id number);
  void reset_metrics();

 private:
  struct priority_class {
    priority_class(class_settings settings_, unsigned digits, std::chrono::nanoseconds now)
        : settings{std::move(settings_)}, metrics{digits, now} {}
    class_settings settings;
    request_list waiting;  // the first one may be started already, with pieces left
    class_metrics metrics;
  };

  [[nodiscard]] priority_class& class_of(class_id number);
  bool start_piece(request& request, const transfer& piece, cost cost,
                   std::chrono::nanoseconds now);
  void advance(request& request, const transfer& piece, cost cost, std::chrono::nanoseconds now);
  void stop_waiting(request& request);
  void end_early(request& request, request::ending ending);
  void expire();
  static void note_result(request& request, const operation& operation,
                          std::int64_t result) noexcept;
  void settle(request& request);
  static void count_done(class_metrics& metrics, const request& request,
                         std::chrono::nanoseconds now) noexcept;

  device& device_;
  const time_source& clock_;
  queue_settings settings_;
  piece_sizes pieces_;
  admission admission_;
  fair_order order_;
  std::deque<priority_class> classes_;
  std::set<std::pair<std::chrono::nanoseconds, request*>> deadlines_;
  operation_pool operations_;
  std::size_t in_flight_ = 0;
};

}  // namespace stallscope::ioqueue
