// Decides which connection sends a request and when, and keeps track of requests in flight. It
// neither reads a clock nor sends, so tests drive it with simulated time.
//
//     request_scheduler scheduler(plan, connections, start_ns);
//     while (auto connection = scheduler.take(now_ns)) send(*connection);
//     if (auto request = scheduler.answered(connection, now_ns)) record(*request, now_ns);
//
// A connection has `pipeline` slots. In a closed loop, a free slot is due `think_ns` after the
// reply that freed it. In an open loop, a due request takes the slot that has been free for the
// longest time; if none is free it waits, and its latency counts from its due time, so the delay of
// a stalled target is not omitted.
//
// Cost: about 15 ns per call, no system call; 32 bytes per possible request in flight. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "load/arrivals.hpp"
#include "load/options.hpp"
#include "load/stall_log.hpp"

namespace stallscope::load {

inline constexpr std::uint64_t never_ns = ~std::uint64_t{0};

// A request in flight or answered.
struct sent_request {
  std::uint64_t intended_ns;
  std::uint64_t sent_ns;
  std::uint64_t own_lag_ns;  // the part of the delay that the loader caused
  bool measured;             // due after the warm-up
};

class request_scheduler {
 public:
  // One of `threads` schedulers with `connections` connections each, starting at `start_ns`.
  request_scheduler(const schedule& plan, unsigned connections, std::uint64_t start_ns,
                    unsigned thread = 0, unsigned threads = 1);

  // connection_up(): the connection accepts requests. connection_down(): it does not; returns its
  // number of requests in flight.
  void connection_up(unsigned connection, std::uint64_t now_ns);
  std::size_t connection_down(unsigned connection);

  // The connection that must send a request now, if any; the request counts as sent.
  std::optional<unsigned> take(std::uint64_t now_ns);
  // The oldest request in flight on the connection is answered; nothing if there was none.
  std::optional<sent_request> answered(unsigned connection, std::uint64_t now_ns);

  // The loader was stalled (stopped, without a CPU, or overloaded). The stall counts as own lag of
  // all requests due in that time, even if they wait for earlier requests.
  void stalled(std::uint64_t from_ns, std::uint64_t to_ns);

  // Time of the next request, as far as known without further replies.
  [[nodiscard]] std::uint64_t next_due_ns() const noexcept;
  // No request is due after `end_ns`; requests due earlier are still sent.
  void end_at(std::uint64_t end_ns) noexcept;
  // Stops sending, including requests that are already due; take_unsent() counts them.
  void stop_sending() noexcept { sending_ = false; }
  [[nodiscard]] std::uint64_t measured_from_ns() const noexcept { return measured_from_ns_; }
  [[nodiscard]] std::uint64_t end_ns() const noexcept { return end_ns_; }
  [[nodiscard]] std::size_t under_way() const noexcept { return under_way_; }
  // Whether the requested number of measured requests was sent.
  [[nodiscard]] bool limit_reached() const noexcept;
  // Whether no request is in flight and none can be sent any more.
  [[nodiscard]] bool finished(std::uint64_t now_ns) const noexcept;
  // Counts requests that were due before the end and never sent, up to max_unsent.
  static constexpr std::uint64_t max_unsent = 10'000'000;
  std::uint64_t take_unsent();

 private:
  struct place {
    std::uint64_t free_ns;
    unsigned connection;
  };
  // Requests in flight of a connection: a ring of `pipeline` entries in requests_.
  struct queue {
    unsigned first = 0;
    unsigned count = 0;
    bool offered = false;  // open loop: the connection is in free_places_, once for all its slots
  };

  [[nodiscard]] std::uint64_t own_lag_ns(std::uint64_t intended_ns, std::uint64_t free_ns,
                                         std::uint64_t now_ns);
  sent_request& slot(unsigned connection, unsigned position);
  void free_place(unsigned connection, std::uint64_t free_ns);

  schedule plan_;
  std::uint64_t measured_from_ns_;
  std::uint64_t end_ns_;
  std::uint64_t max_requests_;
  std::uint64_t measured_ = 0;
  std::size_t under_way_ = 0;
  bool sending_ = true;
  stall_log stalls_;
  std::optional<arrivals> arrivals_;  // open loop only
  std::deque<place> free_places_;     // longest free first
  std::vector<queue> queues_;
  std::vector<sent_request> requests_;
};

}  // namespace stallscope::load
