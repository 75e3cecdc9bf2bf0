// Reads a segment in chunks for compaction, with many reads in flight, and returns the chunks in
// order.
//
//   chunk_reader reader(port, memory, chunk_settings, wake);
//   reader.start(segment);
//   reader.submit();
//   if (reader.front_ready()) {
//     if (int error = reader.append_front(unparsed)) give_up(error);
//   }
//
// Cost: memory for the chunks in flight. Thread: that of the shard. `wake` is called when a chunk
// completes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "value_log/chunk_memory.hpp"
#include "value_log/io_port.hpp"
#include "value_log/log_segments.hpp"

namespace stallscope::value_log {

class chunk_reader {
 public:
  chunk_reader(io_port& port, chunk_memory& memory, std::size_t max_chunks,
               std::function<void()> wake)
      : port_(port), memory_(memory), max_chunks_(max_chunks), wake_(std::move(wake)) {}

  // Starts to read a segment from its first record. Nothing may be in flight.
  void start(shared_segment segment);
  // Submits reads up to the limit of chunks. Throws std::bad_alloc; what was submitted completes.
  void submit();

  [[nodiscard]] bool empty() const noexcept { return chunks_.empty(); }
  [[nodiscard]] bool front_ready() const noexcept {
    return !chunks_.empty() && chunks_.front()->done;
  }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
  // Removes the first chunk and appends its bytes. Returns 0 or an errno.
  [[nodiscard]] int append_front(std::vector<std::byte>& bytes);
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  // Drops all chunks. Nothing may be in flight.
  void clear();

 private:
  struct chunk final : io_request {
    explicit chunk(chunk_reader& of_reader) : owner(of_reader) { of = io_class::compaction; }
    void io_done(std::int64_t bytes) noexcept override {
      done = true;
      result = bytes;
      --owner.in_flight_;
      owner.wake_();
    }

    chunk_reader& owner;
    aligned_memory memory;
    std::int64_t result = 0;
    bool done = false;
  };

  io_port& port_;
  chunk_memory& memory_;
  std::size_t max_chunks_;
  std::function<void()> wake_;
  shared_segment segment_;
  std::uint64_t position_ = 0;
  std::deque<std::unique_ptr<chunk>> chunks_;  // in the order of the segment
  std::size_t in_flight_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace stallscope::value_log
