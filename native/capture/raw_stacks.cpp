#include "capture/raw_stacks.hpp"

#include <linux/perf_event.h>

#include <algorithm>

#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

// Newer kernels write the user part in a separate record; a cookie follows instead of an address.
constexpr std::uint64_t context_user_deferred = ~std::uint64_t{0} - 639;

frame_kind kind_of_context(std::uint64_t marker) {
  switch (marker) {
    case PERF_CONTEXT_HV:
      return frame_kind::hypervisor;
    case PERF_CONTEXT_KERNEL:
      return frame_kind::kernel;
    case PERF_CONTEXT_USER:
      return frame_kind::user;
    case PERF_CONTEXT_GUEST:
    case PERF_CONTEXT_GUEST_KERNEL:
      return frame_kind::guest_kernel;
    case PERF_CONTEXT_GUEST_USER:
      return frame_kind::guest_user;
    default:
      return frame_kind::unknown;
  }
}

std::uint64_t hash_location(std::uint64_t hash, std::uint64_t address, frame_kind kind) {
  return hash_word(hash, address + (static_cast<std::uint64_t>(kind) << 49U));
}

}  // namespace

frame_kind kind_of_misc(std::uint16_t misc) {
  switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
      return frame_kind::kernel;
    case PERF_RECORD_MISC_USER:
      return frame_kind::user;
    case PERF_RECORD_MISC_HYPERVISOR:
      return frame_kind::hypervisor;
    case PERF_RECORD_MISC_GUEST_KERNEL:
      return frame_kind::guest_kernel;
    case PERF_RECORD_MISC_GUEST_USER:
      return frame_kind::guest_user;
    default:
      return frame_kind::unknown;
  }
}

raw_stacks::raw_stacks(memory_budget& budget)
    : stack_index_(budget),
      offset_(budget),
      locations_(budget),
      location_index_(budget),
      address_(budget),
      kind_(budget) {
  offset_.push_back(0);
}

void raw_stacks::decode(const sample_fields& sample, frame_kind kind, bool swap) {
  decoded_.clear();
  deferred_ = false;
  decode_chain(sample.chain, kind, swap);
  has_frames_ = !decoded_.empty();
  if (decoded_.empty() && sample.ip) {
    decoded_.push_back({*sample.ip, kind});
  }
}

// Appends the frames of a chain whose first code is of `kind`.
void raw_stacks::decode_chain(std::span<const std::byte> chain, frame_kind kind, bool swap) {
  // The leaf and the user address at the kernel entry are exact; all others are return addresses
  // after a call.
  bool exact = true;
  for (std::size_t at = 0; at < chain.size(); at += 8) {
    const auto value = load<std::uint64_t>(chain.data() + at, swap);
    if (value >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
      if (value == context_user_deferred) {
        deferred_ = true;
        cookie_ = at + 8 < chain.size() ? load<std::uint64_t>(chain.data() + at + 8, swap) : 0;
        return;
      }
      const frame_kind next = kind_of_context(value);
      exact = exact || (next == frame_kind::user && kind != frame_kind::user);
      kind = next;
      continue;
    }
    decoded_.push_back({exact || value == 0 ? value : value - 1, kind});
    exact = false;
  }
}

std::uint32_t raw_stacks::intern_location(const decoded& value) {
  const std::uint64_t hash = hash_location(hash_seed(), value.address, value.kind);
  std::uint32_t number = location_index_.find(hash, [&](std::uint32_t other) {
    return address_[other] == value.address && kind(other) == value.kind;
  });
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(address_.size());
    location_index_.insert(hash, number);
    address_.push_back(value.address);
    kind_.push_back(static_cast<std::uint8_t>(value.kind));
  }
  return number;
}

bool raw_stacks::same(std::uint32_t stack) const {
  const auto other = locations(stack);
  return other.size() == decoded_.size() &&
         std::equal(other.begin(), other.end(), decoded_.begin(),
                    [this](std::uint32_t location, const decoded& value) {
                      return address_[location] == value.address && kind(location) == value.kind;
                    });
}

std::uint32_t raw_stacks::add(const sample_fields& sample, frame_kind kind, bool swap) {
  decode(sample, kind, swap);
  return intern_stack();
}

std::uint32_t raw_stacks::extended(std::uint32_t stack, bool has_frames,
                                   std::span<const std::byte> chain, bool swap) {
  decoded_.clear();
  if (has_frames) {
    for (const std::uint32_t location : locations(stack)) {
      decoded_.push_back({address(location), kind(location)});
    }
  }
  decode_chain(chain, frame_kind::user, swap);
  return decoded_.empty() ? stack : intern_stack();
}

// Returns the number of the decoded stack.
std::uint32_t raw_stacks::intern_stack() {
  std::uint64_t hash = hash_seed();
  for (const decoded& value : decoded_) {
    hash = hash_location(hash, value.address, value.kind);
  }
  std::uint32_t number =
      stack_index_.find(hash, [this](std::uint32_t stack) { return same(stack); });
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(size());
    stack_index_.insert(hash, number);
    for (const decoded& value : decoded_) {
      locations_.push_back(intern_location(value));
    }
    offset_.push_back(locations_.size());
  }
  return number;
}

}  // namespace stallscope::capture
