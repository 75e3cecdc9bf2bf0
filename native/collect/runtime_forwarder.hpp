// Passes the samples of one ring, with registers and copied stacks, to a helper that reads managed
// frames. Costs a look-up per sample, and a copy of the stack for processes with a runtime. Always
// on the same thread.
//
//   runtime_forwarder forwarder{ring.view(), hooks};
//   forwarder.forward();  // at least once per millisecond while a process is read
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "managed_frames/sample_channel.hpp"
#include "managed_frames/stack_ends.hpp"
#include "perf_events/ring_view.hpp"

namespace stallscope::collect {

class runtime_forwarder {
 public:
  // selects() decides whether a sample is passed on; slot() returns null if the helper is behind;
  // commit() passes the slot on. forget() is called for processes that ended or started another
  // program.
  struct hooks {
    std::function<bool(const perf_events::record_view&)> selects;
    std::function<managed_frames::sample_slot*()> slot;
    std::function<void()> commit;
    std::function<void(pid_t)> forget;
    const managed_frames::stack_ends* ends = nullptr;  // never null; a copy is shortened by it
  };
  runtime_forwarder(const perf_events::ring_view& ring, hooks callbacks)
      : ring_{ring}, hooks_{std::move(callbacks)} {}

  void forward();
  // The time of the newest sample that was passed on; 0: none.
  [[nodiscard]] std::uint64_t newest_ns() const noexcept { return newest_ns_; }

 private:
  void observe(const perf_events::record_view& record);
  // Whether a record at this position was not overwritten.
  [[nodiscard]] bool intact(std::uint64_t position) const noexcept;
  // Returns false if the record has no registers and copy, or was overwritten.
  bool fill(const perf_events::record_view& record, managed_frames::sample_slot& slot) const;

  perf_events::ring_view ring_;
  hooks hooks_;
  std::uint64_t seen_ = 0;
  std::uint64_t newest_ns_ = 0;
};

}  // namespace stallscope::collect
