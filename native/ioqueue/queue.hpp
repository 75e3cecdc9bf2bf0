// The queue in front of a device: classes with shares, each first in, first out, take turns by
// accumulated cost; cost in flight stays below a limit, so that what waits waits here, where a
// latency-sensitive class can still pass, and not in the device, where it cannot.
//
// A loop calls submit() for what it wants, dispatch() once a turn, and gives the device its time to
// complete operations; settled() of requests is called from within completed(), cancel() and
// dispatch(), and may call submit() and cancel() itself. Some 0.11 us of CPU a request
// (docs/benchmarks.md), no allocation once as many were in flight as ever are. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ioqueue/class_metrics.hpp"
#include "ioqueue/cost.hpp"
#include "ioqueue/device.hpp"
#include "ioqueue/fair_order.hpp"
#include "ioqueue/operation_pool.hpp"
#include "ioqueue/request.hpp"
#include "ioqueue/request_list.hpp"
#include "ioqueue/time_source.hpp"
#include "ioqueue/token_bucket.hpp"

namespace stallscope::ioqueue {

struct queue_settings {
  cost_model costs = {};
  cost limit = 0;  // on cost in flight; 0: none
  std::optional<token_rate> tokens = std::nullopt;
  // Requests of more bytes, or dearer than the limit, go in pieces; 0: whatever the limit allows.
  std::uint64_t most_bytes = 0;
  // Whole pieces have a multiple of this many bytes; 0: requests are never split, and what is
  // dearer than the limit goes alone.
  std::uint64_t split_bytes = block_bytes;
  // A class that wakes may be served ahead by what the device does in this time.
  std::chrono::nanoseconds tau = std::chrono::milliseconds{5};
  unsigned histogram_digits = 3;
};

struct class_settings {
  std::string name = {};
  std::uint32_t shares = 100;  // 1 to fair_order::most_shares
  std::size_t most_queued = 1024;
};

class queue final : public completion_sink {
 public:
  static constexpr std::chrono::nanoseconds never = std::chrono::nanoseconds::max();

  // Both outlive it. Throws std::invalid_argument where the settings make no sense.
  queue(device& below, const time_source& clock, const queue_settings& settings);
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  queue(queue&&) = delete;
  queue& operator=(queue&&) = delete;
  ~queue() = default;

  // Throws std::invalid_argument.
  class_id add_class(class_settings settings);
  void set_shares(class_id number, std::uint32_t shares);
  void set_limit(cost limit);  // what is in flight stays there; 0: none

  // False where the class is full: it has to be offered again when one of the class's was begun.
  [[nodiscard]] bool submit(class_id number, request& wanted);
  // A request that waits is settled at once, from within; for one in flight the device is asked,
  // and it is settled when it completes, perhaps as done. Free requests are left alone.
  void cancel(request& unwanted);
  // Settles what expired, and hands the device all that may go: the number of operations.
  std::size_t dispatch();
  // When dispatch() is wanted though nothing completes or is submitted: for a deadline or tokens.
  [[nodiscard]] std::chrono::nanoseconds next_wake() const;

  void completed(operation& ended, std::int64_t result) override;

  [[nodiscard]] cost in_flight_cost() const noexcept { return in_flight_cost_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }  // operations
  [[nodiscard]] cost limit() const noexcept { return limit_; }
  [[nodiscard]] const class_settings& settings_of(class_id number) const;
  // Integrals up to now.
  const class_metrics& metrics(class_id number);
  void reset_metrics();

 private:
  struct priority_class {
    priority_class(class_settings chosen, unsigned digits, std::chrono::nanoseconds now)
        : settings{std::move(chosen)}, counted{digits, now} {}
    class_settings settings;
    request_list waiting;  // the first one may be begun already, and have pieces left
    class_metrics counted;
  };
  enum class verdict : std::uint8_t { admitted, above_limit, no_tokens };

  [[nodiscard]] priority_class& of(class_id number);
  [[nodiscard]] transfer next_piece(const request& from) const noexcept;
  [[nodiscard]] cost held_by(cost wanted) const noexcept;
  [[nodiscard]] verdict admit(cost wanted, std::chrono::nanoseconds now) const noexcept;
  bool start_piece(request& from, const transfer& piece, cost wanted, std::chrono::nanoseconds now);
  void advance_line(request& from, const transfer& piece, cost wanted,
                    std::chrono::nanoseconds now);
  void leave_line(request& leaving);
  void end_early(request& unwanted, request::ending why);
  void expire();
  static void note_result(request& of, const operation& ended, std::int64_t result) noexcept;
  void settle(request& ended);
  static void count_done(class_metrics& counted, const request& ended,
                         std::chrono::nanoseconds now) noexcept;

  device& device_;
  const time_source& clock_;
  queue_settings settings_;
  cost limit_;
  fair_order order_;
  std::optional<token_bucket> tokens_;
  std::deque<priority_class> classes_;
  std::set<std::pair<std::chrono::nanoseconds, request*>> deadlines_;
  operation_pool operations_;
  cost in_flight_cost_ = 0;
  std::size_t in_flight_ = 0;
};

}  // namespace stallscope::ioqueue
