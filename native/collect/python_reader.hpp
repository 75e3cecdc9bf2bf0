// Passes the samples of one CPU's ring to the helper that reads their Python frames. With reading
// threads, a thread waits on that CPU for each sample and wakes a helper on the same CPU, so that
// the sampled thread does not continue before it is read. Without them, forward_samples() is called
// before each pass of the drain, and the helper reads a slightly later state. Costs about 5 us per
// sample of a CPython process, and some 15 us in the helper.
#pragma once

#include <cstdint>
#include <functional>

#include "collect/python_helper.hpp"
#include "perf_events/ring_view.hpp"

namespace stallscope::collect {

class python_reader {
 public:
  // keep() selects the samples. gone() is called for processes that ended or started another
  // program.
  struct hooks {
    std::function<bool(const perf_events::record_view&)> keep;
    std::function<void(pid_t)> gone;
  };
  // The helper must outlive the reader.
  python_reader(python_helper& helper, const perf_events::ring_view& ring, hooks callbacks)
      : helper_{&helper}, ring_{ring}, hooks_{std::move(callbacks)} {}

  // Passes new samples on. Always on the same thread.
  void forward_samples();

 private:
  void observe(const perf_events::record_view& record);

  python_helper* helper_;
  perf_events::ring_view ring_;
  hooks hooks_;
  std::uint64_t seen_ = 0;
};

}  // namespace stallscope::collect
