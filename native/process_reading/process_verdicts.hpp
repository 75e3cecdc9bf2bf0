// When the samples of a process are of interest, by pid, in memory that all helpers and the
// collector share. Helpers write, the collector reads: a sample of a program without Python then
// wakes no helper. A table of fixed size; a lost entry costs another examination. No system calls.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stallscope::process_reading {

class process_verdicts {
 public:
  static constexpr std::uint64_t always = 0;
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  // Samples at `due_ns` or later are of interest.
  void set(pid_t pid, std::uint64_t due_ns) noexcept {
    entry_of(pid).store(encode(pid, due_ns), std::memory_order_relaxed);
  }
  void forget(pid_t pid) noexcept {
    if (known(pid)) entry_of(pid).store(0, std::memory_order_relaxed);
  }
  [[nodiscard]] bool known(pid_t pid) const noexcept {
    return entry_of(pid).load(std::memory_order_relaxed) >> due_bits == id_of(pid);
  }
  [[nodiscard]] bool interesting(pid_t pid, std::uint64_t time_ns) const noexcept {
    const auto entry = entry_of(pid).load(std::memory_order_relaxed);
    return entry >> due_bits != id_of(pid) || time_ns >> due_shift >= (entry & largest_due);
  }

 private:
  static constexpr std::size_t size = 16'384;
  static constexpr unsigned due_bits = 40;
  static constexpr unsigned due_shift = 20;  // units of about a millisecond
  static constexpr std::uint64_t largest_due = (std::uint64_t{1} << due_bits) - 1;

  // At most 2^22 processes; 0 is an empty entry.
  static std::uint64_t id_of(pid_t pid) noexcept {
    return static_cast<std::uint64_t>(pid) & ((std::uint64_t{1} << (64 - due_bits)) - 1);
  }
  static std::uint64_t encode(pid_t pid, std::uint64_t due_ns) noexcept {
    const auto due = due_ns == never ? largest_due : due_ns >> due_shift;
    return id_of(pid) << due_bits | (due & largest_due);
  }
  std::atomic<std::uint64_t>& entry_of(pid_t pid) noexcept {
    return entries_[static_cast<std::size_t>(pid) % size];
  }
  [[nodiscard]] const std::atomic<std::uint64_t>& entry_of(pid_t pid) const noexcept {
    return entries_[static_cast<std::size_t>(pid) % size];
  }

  std::array<std::atomic<std::uint64_t>, size> entries_{};
};

}  // namespace stallscope::process_reading
