// The disk access of a shard: an I/O queue with the classes "queries" and "compaction" on top of
// io_uring. Completions signal an eventfd that the loop of the shard watches. If io_uring is
// forbidden or fails, requests become blocking calls, and by_io_uring() returns false. A short
// transfer is continued until it is complete or fails.
//
//     disk_port port(loop, {.limit = 8});
//     request.reads(fd, offset, memory);
//     port.submit(request);              // request.io_done(bytes or -errno) in a later turn
//
// Cost: the requests of a turn enter the kernel in one call, about 1 us; plus the cost of the
// queue. Thread: that of the loop.
#pragma once

#include <liburing.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/eventfd.hpp"
#include "ioqueue/queue.hpp"
#include "reactor/reactor.hpp"
#include "value_log/io_port.hpp"

namespace stallscope::value_log {

struct disk_port_settings {
  // Requests in flight; 0: no limit. With rates it is the cost of `limit` of the most expensive
  // requests, and more of the cheaper ones are in flight.
  std::uint64_t limit = 8;
  std::optional<ioqueue::device_rates> rates = std::nullopt;
  std::uint32_t query_shares = 1000;
  std::uint32_t compaction_shares = 100;
};

class disk_port final : public io_port,
                        private ioqueue::device,
                        private reactor::event_handler,
                        private reactor::task,
                        private reactor::timer {
 public:
  disk_port(reactor::reactor& loop, const disk_port_settings& settings);
  ~disk_port();
  disk_port(const disk_port&) = delete;
  disk_port& operator=(const disk_port&) = delete;
  disk_port(disk_port&&) = delete;
  disk_port& operator=(disk_port&&) = delete;

  void submit(io_request& request) noexcept override;
  void cancel(io_request& request) noexcept override;
  void sync(int file, io_request& request) noexcept override;

  // Waits until no request is in flight. Completions may submit more requests.
  void drain();

  [[nodiscard]] bool by_io_uring() const noexcept { return has_ring_ && !ring_failed_; }
  [[nodiscard]] const ioqueue::class_metrics& metrics(io_class of);
  [[nodiscard]] std::size_t in_flight() const noexcept { return queue_.in_flight(); }
  // The largest in_flight() so far.
  [[nodiscard]] std::size_t max_in_flight() const noexcept { return max_in_flight_; }

 private:
  bool start(ioqueue::operation& begun) override;
  void flush() override;
  void cancel(ioqueue::operation& unwanted) noexcept override;
  void on_events(std::uint32_t events) override;
  void run() override;  // reports the completions of this turn
  void fire() override { run(); }
  void wake();
  void try_again_later() noexcept;
  void offer_refused();
  void reap();
  void begin(std::uint64_t mark);
  void do_now(std::uint64_t mark);
  void take(std::uint64_t mark, std::int64_t result);
  [[nodiscard]] io_uring_sqe* next_entry();
  [[nodiscard]] std::uint64_t queued();

  reactor::reactor& loop_;
  wake_event completed_;
  io_uring ring_{};
  bool has_ring_ = false;
  bool ring_failed_ = false;  // it accepts no more entries; entries in flight may still complete
  bool scheduled_ = false;
  std::uint64_t under_way_ = 0;
  std::size_t max_in_flight_ = 0;
  // These two never grow beyond their reserved capacity.
  std::vector<std::uint64_t> unsubmitted_;  // marks of entries not yet taken by the kernel
  std::vector<std::pair<std::uint64_t, std::int64_t>> ended_;     // completed by blocking calls
  std::vector<std::pair<std::uint64_t, std::int64_t>> reported_;  // being reported by reap()
  ioqueue::monotonic_time clock_;
  ioqueue::queue queue_;
  std::array<ioqueue::class_id, 2> classes_{};
  ioqueue::request_list refused_;  // the queue of their class was full
};

}  // namespace stallscope::value_log
