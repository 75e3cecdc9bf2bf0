// A closed loop of random reads or writes through the I/O queue at a fixed depth, with its
// latencies and errors. Costs about 60 ns per request in addition to the queue. One thread, the
// queue's.
//
//   stream reader{queue, reader_class, clock, target, {.kind = ioqueue::direction::read, ...}};
//   reader.start();
//   ...  // run the queue and the device
//   reader.counts().total.values.value_at_percentile(99);
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
  disk::latencies total;  // ns from submission to completion
  disk::latencies delay;  // ns in the queue
  std::uint64_t bytes = 0;
  std::map<int, std::uint64_t> errors;  // by errno; EIO includes short transfers

  [[nodiscard]] std::uint64_t failed() const noexcept;
};

class stream {
 public:
  struct settings {
    ioqueue::direction kind;
    unsigned depth;
    std::uint32_t block_bytes;
    int file;
    std::uint64_t seed;
    bool with_memory;  // false for a simulated device
  };
  stream(ioqueue::queue& queue, ioqueue::class_id id, const ioqueue::time_source& clock,
         const disk::target& target, const settings& settings);

  // Empty for a simulated device.
  [[nodiscard]] std::span<std::byte> memory() const noexcept;
  void use_buffer(int index) noexcept;  // index of the registered buffer
  void start();                         // submits `depth` requests
  void begin_window() { counts_ = stream_counts{}; }
  [[nodiscard]] const stream_counts& counts() const noexcept { return counts_; }
  // Submits no further requests and cancels those that can be cancelled.
  void stop();
  [[nodiscard]] unsigned outstanding() const noexcept { return outstanding_; }
  [[nodiscard]] std::uint64_t ended() const noexcept {
    return ended_;
  }  // completed since the start

 private:
  class stream_request final : public ioqueue::request {
   public:
    explicit stream_request(stream& owner) : owner_{owner} {}
    void settled(ioqueue::outcome outcome, std::int64_t result) override {
      owner_.settled(*this, outcome, result);
    }

   private:
    stream& owner_;
  };
  void submit(stream_request& next);
  void settled(stream_request& ended, ioqueue::outcome outcome, std::int64_t result);
  void record(const stream_request& ended, std::int64_t result);

  ioqueue::queue& queue_;
  ioqueue::class_id class_;
  const ioqueue::time_source& clock_;
  disk::offsets offsets_;
  std::optional<disk::buffers> memory_;
  std::deque<stream_request> requests_;
  stream_counts counts_;
  unsigned outstanding_ = 0;
  std::uint64_t ended_ = 0;
  bool stopped_ = false;
};

}  // namespace stallscope::storm
