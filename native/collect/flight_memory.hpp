// Keeps a recording in memory until its end, and only its last seconds: the files of the recording
// are diverted into blocks, and old blocks are dropped. Side records, and the lines of python.jsonl
// that later lines refer to, are kept from the begin. Costs a copy of each record; nothing is
// written before finish(). One thread, that of the drain.
//
//   flight_memory flight{opened};
//   flight.divert();                     // after the records of existing processes
//   while (recording) flight.pass();     // after each pass of the drain
//   flight.finish();                     // after the last pass
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "collect/drain.hpp"
#include "collect/flight_blocks.hpp"
#include "collect/opened_recording.hpp"
#include "collect/side_records.hpp"

namespace stallscope::collect {

// The newest lines of python.jsonl or runtimes.jsonl. Lines that define code and stacks are kept
// from the begin, because later lines refer to them. One thread.
class flight_lines {
 public:
  explicit flight_lines(std::uint64_t begin_ns) : blocks_{begin_ns} {}

  [[nodiscard]] flight_blocks& blocks() { return blocks_; }
  [[nodiscard]] std::uint64_t size_bytes() const {
    return blocks_.size_bytes() + definitions_.size();
  }
  // Drops lines that were appended before that time.
  void drop_before(std::uint64_t ns);
  // All lines that are kept.
  [[nodiscard]] std::string text() const;

 private:
  flight_blocks blocks_;
  std::string definitions_;
};

class flight_memory {
 public:
  // The opened recording must outlive this object.
  explicit flight_memory(opened_recording& opened);

  void divert();
  void pass();
  // Writes what is kept into the files. Throws std::system_error if a write fails.
  void finish();
  // The counts of the records that are kept.
  [[nodiscard]] drain_counts counts() const;

 private:
  void drop_oldest();
  void write_samples();

  opened_recording* opened_;
  std::uint64_t keep_ns_;
  std::size_t max_bytes_;
  flight_blocks samples_;
  side_records side_;
  flight_lines python_;
  flight_lines runtimes_;
  std::deque<drain_counts> counts_at_ends_;  // of the complete blocks
  drain_counts dropped_;                     // with the dropped blocks
};

}  // namespace stallscope::collect
