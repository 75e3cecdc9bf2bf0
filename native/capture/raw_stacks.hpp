// Unique call chains of the kernel before they are resolved: a hot loop has the same chain
// thousands of times. A location is an address with the kind of its code. Adding a known chain
// costs a hash of its addresses. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "capture/capture.hpp"
#include "capture/hash_index.hpp"
#include "capture/sample_layout.hpp"

namespace stallscope::capture {

// The kind of code of a record, from its misc field.
frame_kind kind_of_misc(std::uint16_t misc);

class raw_stacks {
 public:
  explicit raw_stacks(memory_budget& budget);

  // Returns the number of the sample's stack: its chain, leaf first, with callers as the return
  // address minus one; without a chain only the instruction pointer.
  std::uint32_t add(const sample_fields& sample, frame_kind kind, bool swap);

  // Whether the user part of the last added chain is in another record
  // (PERF_CONTEXT_USER_DEFERRED), and the cookie of that record.
  [[nodiscard]] bool user_stack_deferred() const { return deferred_; }
  [[nodiscard]] std::uint64_t deferred_cookie() const { return cookie_; }
  // Whether the last added chain had a frame; otherwise its stack is the instruction pointer.
  [[nodiscard]] bool has_frames() const { return has_frames_; }

  // Returns the number of a stack that is continued by a user's chain, which replaces it unless
  // `has_frames`.
  std::uint32_t extended(std::uint32_t stack, bool has_frames, std::span<const std::byte> chain,
                         bool swap);

  [[nodiscard]] std::span<const std::uint32_t> locations(std::uint32_t stack) const {
    return locations_.values().subspan(offset_[stack], offset_[stack + 1] - offset_[stack]);
  }
  [[nodiscard]] std::uint64_t address(std::uint32_t location) const { return address_[location]; }
  [[nodiscard]] frame_kind kind(std::uint32_t location) const {
    return static_cast<frame_kind>(kind_[location]);
  }
  [[nodiscard]] std::size_t size() const { return offset_.size() - 1; }
  [[nodiscard]] std::size_t location_count() const { return address_.size(); }

 private:
  struct decoded {
    std::uint64_t address;
    frame_kind kind;
  };
  void decode(const sample_fields& sample, frame_kind kind, bool swap);
  void decode_chain(std::span<const std::byte> chain, frame_kind kind, bool swap);
  std::uint32_t intern_stack();
  std::uint32_t intern_location(const decoded& value);
  [[nodiscard]] bool same(std::uint32_t stack) const;

  hash_index stack_index_;
  column<std::uint64_t> offset_;
  column<std::uint32_t> locations_;
  hash_index location_index_;
  column<std::uint64_t> address_;
  column<std::uint8_t> kind_;
  std::vector<decoded> decoded_;
  bool deferred_ = false;
  bool has_frames_ = false;
  std::uint64_t cookie_ = 0;
};

}  // namespace stallscope::capture
