// Walks through stacks of a fake virtual machine.
#pragma once

#include <doctest/doctest.h>

#include "base/clock.hpp"
#include "fake_virtual_machine.hpp"
#include "hotspot_frames/java_walker.hpp"
#include "hotspot_frames/native_exit.hpp"
#include "hotspot_frames/wrapper_search.hpp"

namespace stallscope::hotspot_frames {

inline constexpr std::uint64_t stack_start = 0x10000;
inline constexpr std::uint64_t native_caller = 0x1234;

struct walked {
  walk_end end = walk_end::invalid_frame;
  frame_position now;
  std::vector<std::string> names;  // with the line
};

// A walker of a fake virtual machine. The first sample of a case starts with new caches.
class walk_fixture {
 public:
  fake_virtual_machine machine;

  walked walk(frame_position now, const std::vector<std::uint64_t>& stack) {
    return walk_at(monotonic_ns(), now, stack);
  }

  walked walk_at(std::uint64_t sample_ns, frame_position now,
                 const std::vector<std::uint64_t>& stack) {
    prepare();
    const auto sample = sample_of(sample_ns, stack);
    frame_history history;
    std::vector<managed_frames::managed_frame> frames;
    std::uint64_t entry_frame = 0;
    walked result;
    result.end = walker_->walk(now, sample, history, frames, entry_frame);
    result.now = now;
    for (const auto& frame : frames)
      result.names.push_back(name_of(frame.function) + ':' + std::to_string(frame.line));
    return result;
  }

  std::optional<std::uint64_t> caller_of_wrapper(const frame_position& at,
                                                 const std::vector<std::uint64_t>& stack) {
    prepare();
    return walker_->caller_of_wrapper(at, sample_of(monotonic_ns(), stack));
  }

  // The Java frame behind native code on arm64, whose leaf has these registers.
  std::optional<frame_position> native_exit(std::uint64_t link, std::uint64_t fp,
                                            const std::vector<std::uint64_t>& stack) {
    prepare();
    auto sample = sample_of(monotonic_ns(), stack);
    sample.registers.set(unwind::arm64::lr, link);
    sample.registers.set(unwind::arm64::fp, fp);
    return find_native_exit(*walker_, sample, [](std::uint64_t pc) { return pc == native_caller; });
  }

  std::optional<frame_position> wrapper_frame(const std::vector<std::uint64_t>& stack) {
    prepare();
    return find_wrapper_frame(*walker_, sample_of(monotonic_ns(), stack));
  }

 private:
  void prepare() {
    if (walker_) return;
    walker_.emplace(memory_, machine.layout(), ::getpid(), log_);
    REQUIRE(walker_->prepare());
  }

  managed_frames::stack_sample sample_of(std::uint64_t sample_ns,
                                         const std::vector<std::uint64_t>& stack) {
    managed_frames::stack_sample sample;
    sample.time_ns = sample_ns;
    sample.arch = machine.layout().frames.arch;
    sample.stack_address = stack_start;
    sample.stack = std::as_bytes(std::span{stack});
    return sample;
  }

  // The name in the log's line of a function; the reason in brackets if it has none.
  std::string name_of(std::uint64_t id) {
    const auto line = lines_.find("{\"function\":" + std::to_string(id) + ",");
    REQUIRE(line != std::string::npos);
    const auto part = [&](const std::string& key) {
      const auto begin = lines_.find("\"" + key + "\":\"", line) + key.size() + 4;
      return lines_.substr(begin, lines_.find('"', begin) - begin);
    };
    return part("name").empty() ? "[" + part("reason") + "]" : part("name");
  }

  std::string lines_;
  managed_frames::function_log log_{{1, 1}, lines_};
  process_memory memory_{::getpid()};
  std::optional<java_walker> walker_;
};

inline constexpr std::initializer_list<unsigned> body = {0x90, 0x90, 0x90};
// push rbp; nop
inline constexpr std::initializer_list<unsigned> pushing = {0x55, 0x90};

}  // namespace stallscope::hotspot_frames
