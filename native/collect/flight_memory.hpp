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

#include "collect/drain.hpp"
#include "collect/flight_blocks.hpp"
#include "collect/flight_lines.hpp"
#include "collect/opened_recording.hpp"
#include "collect/request_session.hpp"
#include "collect/side_records.hpp"
#include "collect/wait_recording.hpp"

namespace stallscope::collect {

class flight_memory {
 public:
  // The arguments must outlive this object; `waits` may be null.
  flight_memory(opened_recording& opened, wait_recording* waits);

  void divert();
  // Also keeps marks of requests. The session must outlive this object.
  void follow(request_session& requests) { requests_ = &requests; }
  void pass();
  // Writes what is kept into the files. Throws std::system_error if a write fails.
  void finish();
  // The counts of the records that are kept.
  [[nodiscard]] drain_counts counts() const;

 private:
  void drop_oldest();
  void drop_lines(std::uint64_t before_ns);
  [[nodiscard]] std::uint64_t used_bytes() const;
  void write_samples();
  void write_lines();
  void warn();

  opened_recording* opened_;
  wait_recording* waits_;
  request_session* requests_ = nullptr;
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
