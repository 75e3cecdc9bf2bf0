// What the collector and a helper share: samples with copied stacks, lines of runtimes.jsonl, and
// what the helper does. Passing a sample costs a copy of its stack and no system call while the
// helper is awake, else one futex call. The memory of a slot is allocated when it is first used.
//
//   channel->put(sample);  channel->wake();                      // collector
//   while (const auto* slot = channel->front()) { ...; channel->pop(); }  // helper
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "managed_frames/stack_sample.hpp"
#include "reader_process/line_queue.hpp"
#include "reader_process/read_activity.hpp"
#include "reader_process/sleep_flag.hpp"

namespace stallscope::managed_frames {

constexpr std::size_t max_stack_bytes = std::size_t{32} << 10U;

struct sample_slot {
  pid_t pid = 0;
  pid_t tid = 0;  // 0: the process ended or started another program
  std::uint64_t time_ns = 0;
  unwind::registers registers;
  std::uint64_t stack_address = 0;
  std::size_t stack_bytes = 0;
  std::array<std::byte, max_stack_bytes> stack;

  [[nodiscard]] stack_sample sample() const noexcept {
    return {pid, tid, time_ns, registers, stack_address, std::span{stack}.first(stack_bytes)};
  }
};

class sample_channel {
 public:
  // The collector's side: a slot to be filled, null if the helper is behind; then commit().
  sample_slot* next() noexcept;
  void commit() noexcept { head_.store(head_.load(std::memory_order_relaxed) + 1); }
  void wake() noexcept { sleep_.wake(); }
  void request_stop() noexcept {
    activity.stop.store(true);
    wake();
  }
  // The age at which samples are too old for a reader of the helper; 0 if it reads no process.
  [[nodiscard]] std::uint64_t sample_age_ns() const noexcept { return sample_age_ns_.load(); }

  // Samples that the helper has not read because its lines were not taken.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(); }

  // The helper's side. A slot is valid until pop().
  [[nodiscard]] const sample_slot* front() const noexcept;
  void pop() noexcept { tail_.store(tail_.load(std::memory_order_relaxed) + 1); }
  void wait(std::chrono::milliseconds limit) noexcept;
  [[nodiscard]] bool stopped() const noexcept { return activity.stop.load(); }
  void count_dropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  void publish(std::uint64_t sample_age_ns) noexcept { sample_age_ns_.store(sample_age_ns); }

  reader_process::read_activity activity;
  reader_process::line_queue lines;

 private:
  static constexpr std::size_t max_slots = 256;

  [[nodiscard]] std::size_t index_of(std::uint32_t position) const noexcept {
    return (position - first_.load(std::memory_order_relaxed)) % max_slots;
  }

  // Positions count up. An empty channel begins again with the first slot, whose memory is still
  // in the cache; first_ is the position of this slot and is published by head_.
  std::atomic<std::uint32_t> first_ = 0;
  std::atomic<std::uint32_t> head_ = 0;
  std::atomic<std::uint32_t> tail_ = 0;
  std::atomic<std::uint64_t> sample_age_ns_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  reader_process::sleep_flag sleep_;
  std::array<sample_slot, max_slots> slots_;
};

}  // namespace stallscope::managed_frames
