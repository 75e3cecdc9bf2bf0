// The metrics of one class: counts, time integrals of queued and executing requests, histograms of
// their latency. They take 0.8 MB with 3 significant digits and an eighth of that with 2, nearly
// all of it histograms. An update costs one or two additions. Used by the queue's thread only.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "histogram/histogram.hpp"
#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

// At any time submitted = done + failed + cancelled + queued + executing.
struct class_metrics {
  class_metrics(unsigned significant_digits, std::chrono::nanoseconds now)
      : delay{histogram::histogram::hour_ns, significant_digits},
        execution{histogram::histogram::hour_ns, significant_digits},
        total{histogram::histogram::hour_ns, significant_digits},
        advanced_to_{now} {}

  struct volume {
    std::uint64_t operations = 0;  // requests done
    std::uint64_t bytes = 0;
  };
  std::array<volume, directions> by_direction{};

  std::uint64_t submitted = 0;  // without the rejected ones
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;    // including the expired ones
  std::uint64_t expired = 0;      // not started before the deadline
  std::uint64_t rejected = 0;     // the class was full
  std::uint64_t split = 0;        // requests sent in more than one piece
  std::uint64_t limit_hits = 0;   // dispatch rounds that this class ended at the limit
  std::uint64_t token_waits = 0;  // dispatch rounds that this class ended without tokens

  std::uint64_t queued = 0;     // now
  std::uint64_t executing = 0;  // now: started and not yet settled
  // Integrals up to the last advance(), in requests times ns; starved_ns is in ns.
  std::uint64_t queued_ns = 0;
  std::uint64_t executing_ns = 0;
  std::uint64_t starved_ns = 0;  // time with a queued and without an executing request

  histogram::histogram delay;      // ns from submit() to the device, of started requests
  histogram::histogram execution;  // ns from the device to the end, of done requests
  histogram::histogram total;      // ns, the sum of both, of done requests

  // Extends the integrals to `now`. Call it before every change of the counts.
  void advance(std::chrono::nanoseconds now) noexcept {
    const auto elapsed = static_cast<std::uint64_t>((now - advanced_to_).count());
    queued_ns += queued * elapsed;
    executing_ns += executing * elapsed;
    if (queued > 0 && executing == 0) starved_ns += elapsed;
    advanced_to_ = now;
  }
  // Starts counting again; queued and executing requests stay counted.
  void reset(std::chrono::nanoseconds now);

 private:
  std::chrono::nanoseconds advanced_to_;
};

}  // namespace stallscope::ioqueue
