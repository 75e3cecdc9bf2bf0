// Samples whose user stack is in a later record (PERF_RECORD_CALLCHAIN_DEFERRED): a kernel that
// defers unwinding writes a cookie into the sample's chain, and the user's chain with that cookie
// before it returns to user space. Several samples of a thread share one record. A record that was
// lost leaves its samples with the kernel's part. 48 bytes per waiting sample. One thread.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "capture/capture.hpp"
#include "capture/raw_stacks.hpp"
#include "capture/record_stream.hpp"

namespace stallscope::capture {

class deferred_stacks {
 public:
  deferred_stacks(raw_stacks& raw, memory_budget& budget) : raw_(raw), budget_(budget) {}
  deferred_stacks(const deferred_stacks&) = delete;
  deferred_stacks& operator=(const deferred_stacks&) = delete;
  ~deferred_stacks() = default;

  // Adds the last sample that was added to the stacks; `sample` is its number.
  void add(std::uint32_t sample);

  // Completes the stacks of the samples that wait for the record. The kernel's cookies are unique
  // on all CPUs, so the thread is not compared.
  void join(const record& current, bool swap, sample_columns& samples);

  // Samples without their user stack.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct waiting_sample {
    std::uint32_t sample;
    bool has_frames;  // beside the deferred ones
  };

  raw_stacks& raw_;
  memory_budget& budget_;
  std::unordered_multimap<std::uint64_t, waiting_sample> waiting_;  // by cookie
};

}  // namespace stallscope::capture
