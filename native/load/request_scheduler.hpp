// Decides which connection sends a request when, and remembers what is under way; it neither reads
// a clock nor sends, so that tests drive it with times of their own. Each call costs some 15 ns and
// no system call; memory is 32 bytes for each request that may be under way. One thread.
//
// A connection has a place for each request that it may have under way. In a closed loop a free
// place is due `think_ns` after the reply that freed it. In an open loop a request that is due
// takes the place that has been free for longest; while none is free it waits, and its latency
// counts from when it was due: what a stalled target holds up is not left out.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "load/absences.hpp"
#include "load/arrivals.hpp"
#include "load/options.hpp"

namespace stallscope::load {

inline constexpr std::uint64_t never_ns = ~std::uint64_t{0};

// A request under way, or answered.
struct sent_request {
  std::uint64_t intended_ns;
  std::uint64_t sent_ns;
  std::uint64_t own_lag_ns;  // what of the time between them the loader alone is to blame for
  bool measured;             // due after the warm-up
};

class request_scheduler {
 public:
  // One of `threads` schedulers with these many connections each, from `start_ns` on.
  request_scheduler(const schedule& plan, unsigned connections, std::uint64_t start_ns,
                    unsigned thread = 0, unsigned threads = 1);

  // A connection can take requests; it cannot any more, and so many were under way.
  void connection_up(unsigned connection, std::uint64_t now_ns);
  std::size_t connection_down(unsigned connection);

  // The connection that has to send a request now, if any: it counts as sent.
  std::optional<unsigned> take(std::uint64_t now_ns);
  // The oldest request under way on the connection has its reply; nothing if none was under way.
  std::optional<sent_request> answered(unsigned connection, std::uint64_t now_ns);

  // The loader did nothing meanwhile: it was stopped, had no CPU, or had too much to do. That is
  // its own lag in all requests that were due then, also where they wait for others before them.
  void was_absent(std::uint64_t from_ns, std::uint64_t to_ns);

  // When take() has something next, as far as known without a reply.
  [[nodiscard]] std::uint64_t next_due_ns() const noexcept;
  // From then on nothing new is due; what was due before is still sent.
  void end_at(std::uint64_t end_ns) noexcept;
  // From now on nothing is sent, not even what was due before the end: take_unsent() counts it.
  void stop_sending() noexcept { sending_ = false; }
  [[nodiscard]] std::uint64_t measured_from_ns() const noexcept { return measured_from_ns_; }
  [[nodiscard]] std::uint64_t end_ns() const noexcept { return end_ns_; }
  [[nodiscard]] std::size_t under_way() const noexcept { return under_way_; }
  // Whether as many measured requests were sent as were asked for.
  [[nodiscard]] bool limit_reached() const noexcept;
  // Whether nothing is under way and nothing more can be sent.
  [[nodiscard]] bool finished(std::uint64_t now_ns) const noexcept;
  // Requests that were due before the end and never sent, walked through: so many at most.
  static constexpr std::uint64_t most_unsent = 10'000'000;
  std::uint64_t take_unsent();

 private:
  struct place {
    std::uint64_t free_ns;
    unsigned connection;
  };
  // A connection's requests under way: a ring of `pipeline` entries in requests_.
  struct queue {
    unsigned first = 0;
    unsigned count = 0;
    bool offered = false;  // in an open loop: it stands in free_places_, once for all its places
  };

  [[nodiscard]] std::uint64_t own_lag_ns(std::uint64_t intended_ns, std::uint64_t free_ns,
                                         std::uint64_t now_ns);
  sent_request& slot(unsigned connection, unsigned position);
  void free_place(unsigned connection, std::uint64_t free_ns);

  schedule plan_;
  std::uint64_t measured_from_ns_;
  std::uint64_t end_ns_;
  std::uint64_t most_requests_;
  std::uint64_t measured_ = 0;
  std::size_t under_way_ = 0;
  bool sending_ = true;
  absences absences_;
  std::optional<arrivals> arrivals_;  // of an open loop
  std::deque<place> free_places_;     // the longest free first
  std::vector<queue> queues_;
  std::vector<sent_request> requests_;
};

}  // namespace stallscope::load
