// Where the stacks of threads end, by thread id, in memory that helpers and the collector share. A
// copy of a stack has nothing of the thread beyond it. Helpers write, the collector reads, and must
// only shorten a copy by it. A table of fixed size; a lost entry costs bytes. No system calls.
//
//   ends.set(tid, mapping.end);                       // helper
//   const auto bytes = ends.used_bytes(tid, sp, copied);  // collector
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stallscope::managed_frames {

class stack_ends {
 public:
  // `end` is the address of a page.
  void set(pid_t tid, std::uint64_t end) noexcept {
    entry_of(tid).store(id_of(tid) << page_bits | (end >> page_shift & largest_page),
                        std::memory_order_relaxed);
  }
  // Whether the end of the thread's stack is known and above a stack pointer.
  [[nodiscard]] bool known(pid_t tid, std::uint64_t sp) const noexcept { return end_of(tid) > sp; }
  // The bytes of a copied stack that are below the end of the thread's stack.
  [[nodiscard]] std::uint64_t used_bytes(pid_t tid, std::uint64_t sp,
                                         std::uint64_t copied) const noexcept {
    const auto end = end_of(tid);
    return end > sp ? std::min(copied, end - sp) : copied;
  }

 private:
  static constexpr std::size_t size = 8192;
  static constexpr unsigned page_shift = 12;
  static constexpr unsigned page_bits = 40;
  static constexpr std::uint64_t largest_page = (std::uint64_t{1} << page_bits) - 1;

  // At most 2^22 threads; 0 is an empty entry.
  static std::uint64_t id_of(pid_t tid) noexcept { return static_cast<std::uint32_t>(tid); }
  [[nodiscard]] std::uint64_t end_of(pid_t tid) const noexcept {
    const auto entry =
        entries_[static_cast<std::size_t>(id_of(tid)) % size].load(std::memory_order_relaxed);
    return entry >> page_bits == id_of(tid) ? (entry & largest_page) << page_shift : 0;
  }
  std::atomic<std::uint64_t>& entry_of(pid_t tid) noexcept {
    return entries_[static_cast<std::size_t>(id_of(tid)) % size];
  }

  std::array<std::atomic<std::uint64_t>, size> entries_{};
};

}  // namespace stallscope::managed_frames
