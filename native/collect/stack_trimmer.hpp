// Shortens the copied stacks that are written: the kernel copies a fixed number of bytes, also
// beyond the end of a thread's stack. The end is known for threads of managed runtimes. Costs a
// table look-up per sample; a shortened record is written as five pieces. The drain's thread.
//
//   stack_trimmer trimmer{ends};
//   if (const auto cut = trimmer.cut_of(record)) add(trimmer.pieces(view, record, *cut));
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "collect/copied_stack.hpp"
#include "managed_frames/stack_ends.hpp"

namespace stallscope::collect {

class stack_trimmer {
 public:
  // `ends` must outlive the object.
  explicit stack_trimmer(const managed_frames::stack_ends& ends) : ends_{&ends} {}

  struct cut {
    copied_stack place;
    std::uint64_t kept = 0;  // bytes of the copy, a multiple of eight
  };
  // Returns nullopt for records that are written as they are.
  [[nodiscard]] std::optional<cut> cut_of(const perf_events::record_view& record) const;
  // The shortened record. The pieces are valid until release(), and as long as the ring's bytes.
  std::vector<std::span<const std::byte>> pieces(const perf_events::ring_view& ring,
                                                 const perf_events::record_view& record,
                                                 const cut& shortened);
  // The pieces have been written.
  void release() { words_.clear(); }

 private:
  const managed_frames::stack_ends* ends_;
  std::deque<std::uint64_t> words_;  // that differ from those in the ring
};

}  // namespace stallscope::collect
