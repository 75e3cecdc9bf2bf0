// Reads the JavaScript frames of a V8 process. JavaScript, builtins and V8 itself have frame
// pointers, so frames are walked in the copied stack; names come from the heap of the living
// process. A frame that is as in the thread's last sample is not read again, and what was read
// after the sample serves it too, so that samples that are read together share the reads. One
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "managed_frames/runtime_reader.hpp"
#include "v8_frames/builtin_table.hpp"
#include "v8_frames/code_table.hpp"
#include "v8_frames/function_table.hpp"
#include "v8_frames/heap.hpp"
#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {

class reader final : public managed_frames::runtime_reader {
 public:
  // The log must outlive the reader.
  reader(pid_t pid, const layout& fields, code_areas areas, managed_frames::function_log& log);

  managed_frames::walk_result walk(const managed_frames::stack_sample& sample,
                                   managed_frames::managed_stack& into) override;
  // The garbage collector moves functions; what it leaves behind leads to them until the next
  // collection. Samples wait up to 20 ms for a batch, and for a CPU.
  [[nodiscard]] std::uint64_t longest_age_ns() const noexcept override { return 40'000'000; }

 private:
  // A frame of the copied stack: the program counter in it, its frame pointer, and the words of the
  // frame that decide about its function.
  struct physical_frame {
    std::uint64_t pc = 0;
    std::uint64_t fp = 0;
    std::uint64_t function = 0;
    std::uint64_t bytecode = 0;
    std::uint64_t offset = 0;
    bool operator==(const physical_frame&) const = default;
  };
  struct read_frame {
    physical_frame frame;
    bool managed = false;
    std::size_t first = 0;  // in the functions of the thread
    std::size_t count = 0;
  };
  using frames = std::vector<managed_frames::managed_frame>;
  // The frames of a thread's last sample, with ascending frame pointers, and their functions.
  struct thread_frames {
    std::vector<read_frame> frames;
    std::vector<managed_frames::managed_frame> functions;
    // The leaf, if it was generated code with a frame: the code's start, and the function's word.
    std::uint64_t leaf_fp = 0;
    std::uint64_t leaf_code = 0;
    std::uint64_t leaf_function = 0;
  };
  struct interpreted_function {
    known_function function;
    std::uint32_t line = 0;
  };
  struct bytecode_positions {
    std::uint64_t encoded = 0;  // tagged, as it was read
    position_table positions{};
    bool valid = false;  // a BytecodeArray
    std::uint64_t read_ns = 0;
    std::optional<known_function> function{};  // whose code it is
  };

  [[nodiscard]] physical_frame frame_at(std::uint64_t pc, std::uint64_t fp) const;
  // The innermost frame, and where the walk continues.
  struct start {
    std::uint64_t pc = 0;
    std::uint64_t sp = 0;
    std::uint64_t fp = 0;
    bool valid = false;
  };
  start begin_at_leaf(managed_frames::managed_stack& into);
  start begin_in_native();
  start begin_in_code(const code_areas::place& place, managed_frames::managed_stack& into);
  [[nodiscard]] start linked_caller() const;
  [[nodiscard]] start caller_without_frame() const;
  // Checks the code of all frames that changed since the last sample with one read.
  void check_code();
  void walk_frames(start at, managed_frames::managed_stack& into);
  // Whether the frame was set up by the code at the leaf.
  bool owns_frame(const generated_code& code, std::uint64_t fp);
  // Appends the functions of a frame; returns false for native frames.
  bool functions_of(const physical_frame& frame, bool exact, frames& into);
  void add_generated(const generated_code& code, const physical_frame& frame, bool exact,
                     frames& into);
  void add_optimized(const generated_code& code, std::uint64_t pc, bool exact, frames& into);
  std::optional<interpreted_function> interpreted_at(const physical_frame& frame);
  // A BytecodeArray, read after the sample; null if it is another object.
  bytecode_positions* bytecode_at(std::uint64_t bytecode);
  // The function of a frame that executes a BytecodeArray. An array belongs to one function: if it
  // has another one than before, the function has moved and another one has taken its place.
  std::optional<known_function> function_with(std::uint64_t function, std::uint64_t bytecode);
  [[nodiscard]] const read_frame* known_frame(const physical_frame& frame) const;

  layout fields_;
  heap heap_;
  function_table functions_;
  code_table codes_;
  code_areas areas_;
  std::unordered_map<std::uint64_t, bytecode_positions> bytecodes_;  // by tagged BytecodeArray
  std::unordered_map<pid_t, thread_frames> threads_;                 // the last sample of each
  const thread_frames* last_ = nullptr;
  thread_frames current_;
  frames functions_of_frame_;       // scratch memory
  std::vector<std::uint64_t> pcs_;  // scratch memory: code to be checked
  const managed_frames::stack_sample* sample_ = nullptr;
};

}  // namespace stallscope::v8_frames
