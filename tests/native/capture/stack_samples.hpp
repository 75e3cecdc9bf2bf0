// Samples with the registers and the stack of a thread whose callers are found by frame pointers.
#pragma once

#include <initializer_list>
#include <vector>

#include "capture_builder.hpp"
#include "unwind/unwinder.hpp"

namespace capture_tests {

inline constexpr std::uint64_t stack_address = 0x7ffd'0000;
// perf's bits of rbp, rsp and rip.
inline constexpr std::uint64_t frame_registers = 0x1c0;

inline event_spec stack_event(std::uint64_t more = 0) {
  event_spec event;
  event.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | more;
  event.registers_user = frame_registers;
  return event;
}

// A stack on which each frame holds the frame pointer of its caller and its return address; the
// frame pointer of the outermost one is 0.
inline std::string stack_of(std::initializer_list<std::uint64_t> return_addresses) {
  wire made(order::little);
  made.u64(0).u64(0);
  std::uint64_t frame = stack_address + 16;
  std::size_t left = return_addresses.size();
  for (const std::uint64_t address : return_addresses) {
    frame += 32;
    made.u64(--left == 0 ? 0 : frame).u64(address).u64(0).u64(0);
  }
  return made.bytes();
}

struct stack_sample {
  std::uint64_t ip = 0;
  std::uint64_t time = 0;
  std::string stack{};
  std::vector<std::uint64_t> chain{};  // written where `has_chain`
  bool has_chain = false;
  std::uint64_t abi = PERF_SAMPLE_REGS_ABI_64;
  std::int32_t pid = 1;

  [[nodiscard]] wire body() const {
    wire made(order::little);
    made.u64(ip).u32(static_cast<std::uint32_t>(pid)).u32(static_cast<std::uint32_t>(pid));
    made.u64(time);
    if (has_chain) {
      made.u64(chain.size());
      for (const std::uint64_t address : chain) {
        made.u64(address);
      }
    }
    made.u64(abi);
    if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
      made.u64(stack_address + 16).u64(stack_address).u64(ip);
    }
    made.u64(stack.size()).raw(stack);
    return stack.empty() ? made : made.u64(stack.size());
  }
};

inline void add_sample(capture_builder& to, const stack_sample& sample,
                       std::uint16_t misc = PERF_RECORD_MISC_USER) {
  to.record(PERF_RECORD_SAMPLE, misc, sample.body());
}

// Reads a pipe's way: nothing twice.
class forward_source final : public stallscope::capture::byte_source {
 public:
  explicit forward_source(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset < position_) {
      throw std::logic_error("bytes of a pipe were requested twice");
    }
    const std::size_t count =
        offset >= bytes_.size() ? 0 : std::min(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + std::min(offset, bytes_.size()), count);
    position_ = offset + count;
    return count;
  }
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const override { return std::nullopt; }
  [[nodiscard]] bool keeps_bytes() const override { return false; }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

// Options that unwind without any table, by frame pointers.
inline stallscope::capture::read_options without_tables() {
  stallscope::capture::read_options options;
  options.unwind_table = [](const stallscope::capture::object&) { return nullptr; };
  return options;
}

inline stallscope::capture::capture_content unwound(
    std::string_view bytes, const stallscope::capture::read_options& options = without_tables()) {
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes)));
  return stallscope::capture::read_capture(source, options);
}

inline std::vector<std::string> chain_of(const stallscope::capture::capture_content& from,
                                         std::size_t sample) {
  std::vector<std::string> chain;
  for (std::size_t depth = 0; depth < depth_of(from, sample); ++depth) {
    chain.push_back(frame_text(from, sample, depth));
  }
  return chain;
}

inline stallscope::unwind::chain_end end_of(const stallscope::capture::capture_content& from,
                                            std::size_t sample) {
  return static_cast<stallscope::unwind::chain_end>(from.stacks.end[from.samples.stack[sample]]);
}

}  // namespace capture_tests
