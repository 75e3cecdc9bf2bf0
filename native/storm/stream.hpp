// Requests that keep themselves going through the I/O queue: a closed loop of random reads or
// writes at a depth, and what they met. Some 60 ns a request on top of the queue's. One thread, the
// queue's.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>

#include "disk/buffers.hpp"
#include "disk/measurements.hpp"
#include "disk/offsets.hpp"
#include "ioqueue/queue.hpp"

namespace stallscope::storm {

struct stream_counts {
  disk::latencies total;  // ns from submission to the queue to the end
  disk::latencies delay;  // ns of it in the queue
  std::uint64_t bytes = 0;
  std::map<int, std::uint64_t> errors;  // by errno; EIO also counts what came back short

  [[nodiscard]] std::uint64_t failed() const noexcept;
};

class stream {
 public:
  struct choice {
    ioqueue::direction way;
    unsigned depth;
    std::uint32_t block_bytes;
    int file;
    std::uint64_t seed;
    bool with_memory;  // a simulated device needs none
  };
  stream(ioqueue::queue& line, ioqueue::class_id number, const ioqueue::time_source& clock,
         const disk::target& on, const choice& chosen);

  // Nothing where it has none.
  [[nodiscard]] std::span<std::byte> memory() const noexcept;
  void use_buffer(int number) noexcept;  // its memory is registered by that number
  void start();                          // all of its depth
  void begin_window() { counts_ = stream_counts{}; }
  [[nodiscard]] const stream_counts& counts() const noexcept { return counts_; }
  // Submits no more, and cancels what it may.
  void stop();
  [[nodiscard]] unsigned outstanding() const noexcept { return outstanding_; }
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }  // ever

 private:
  class one_request final : public ioqueue::request {
   public:
    explicit one_request(stream& owner) : owner_{owner} {}
    void settled(ioqueue::outcome how, std::int64_t result) override {
      owner_.settled(*this, how, result);
    }

   private:
    stream& owner_;
  };
  void submit(one_request& next);
  void settled(one_request& ended, ioqueue::outcome how, std::int64_t result);
  void record(const one_request& ended, std::int64_t result);

  ioqueue::queue& line_;
  ioqueue::class_id class_;
  const ioqueue::time_source& clock_;
  choice chosen_;
  disk::offsets where_;
  std::optional<disk::buffers> memory_;
  std::deque<one_request> requests_;
  stream_counts counts_;
  unsigned outstanding_ = 0;
  std::uint64_t ended_ = 0;
  bool stopped_ = false;
};

}  // namespace stallscope::storm
