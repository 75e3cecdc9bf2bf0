// What a class of the queue did: counts, how much was queued and executing over time, how long
// requests took. With 3 significant digits it takes 0.8 MB, with 2 an eighth of that, all of it
// histograms; a change costs an addition or two. One thread, the queue's.
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

  struct carried {
    std::uint64_t operations = 0;  // requests that were done
    std::uint64_t bytes = 0;
  };
  std::array<carried, directions> by_direction{};

  std::uint64_t submitted = 0;  // without those rejected
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;    // with those expired
  std::uint64_t expired = 0;      // before their deadline let them
  std::uint64_t rejected = 0;     // the class was full
  std::uint64_t split = 0;        // requests that went in more than one piece
  std::uint64_t limit_hits = 0;   // rounds that ended because the class's turn was above the limit
  std::uint64_t token_waits = 0;  // or without tokens

  std::uint64_t queued = 0;     // requests now
  std::uint64_t executing = 0;  // requests now, begun and not yet settled
  // Integrals over time up to the last advance(): requests times ns, but ns for the last one.
  std::uint64_t queued_ns = 0;
  std::uint64_t executing_ns = 0;
  std::uint64_t starved_ns = 0;  // something was queued and nothing executing

  histogram::histogram delay;      // ns from submit() to the device, of all that were begun
  histogram::histogram execution;  // ns from there to the end, of all that were done
  histogram::histogram total;      // ns, the sum of both, of all that were done

  // Adds what passed since the last call to the integrals: before every change of the counts.
  void advance(std::chrono::nanoseconds now) noexcept {
    const auto passed = static_cast<std::uint64_t>((now - advanced_to_).count());
    queued_ns += queued * passed;
    executing_ns += executing * passed;
    if (queued > 0 && executing == 0) starved_ns += passed;
    advanced_to_ = now;
  }
  // Counts from now on as if nothing had been before, but for what is queued and executing.
  void reset(std::chrono::nanoseconds now);

 private:
  std::chrono::nanoseconds advanced_to_;
};

}  // namespace stallscope::ioqueue
