// Walks one thread's stack out of a copy of it: call frame information where the code has some,
// the frame pointer where it has none (code made at run time, hand-written assembly). Reads nothing
// but its arguments; costs some 100 ns a frame; every walk ends, whatever the tables say. One
// unwinder for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "unwind/registers.hpp"
#include "unwind/table.hpp"

namespace stallscope::unwind {

// Why a chain ends where it ends. The numbers are part of the Python face (Capture.stack_end).
enum class chain_end : std::uint8_t {
  kernel_given = 0,  // not unwound: the kernel's own chain, by frame pointers
  complete = 1,      // the tables or a zero frame pointer say: nobody called this
  cut_by_copy = 2,   // the next frame lies beyond the bytes that were copied
  no_table = 3,      // no unwind information for the outermost address, nor a frame pointer
  bad_frame = 4,     // the next frame makes no sense: damaged tables, or a stack in the making
  unmapped = 5,      // the outermost address stands in nothing mapped for execution
  other_stack = 6,   // the walk leaves for another stack, which was not copied
  too_deep = 7,      // more frames than asked for
  no_registers = 8,  // nothing to begin with: a 32-bit process, or none were recorded
};

// The code that an address stands in.
struct mapped_code {
  std::uint64_t start = 0;  // of the mapping; end is exclusive
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;         // of `start`
  const unwind::table* table = nullptr;  // nullptr: none known
};

// Who knows the mappings.
class code_map {
 public:
  code_map() = default;
  code_map(const code_map&) = delete;
  code_map& operator=(const code_map&) = delete;
  code_map(code_map&&) = delete;
  code_map& operator=(code_map&&) = delete;
  virtual ~code_map() = default;
  // nullptr where nothing executable is mapped. What is returned stands until the next call.
  virtual const mapped_code* find(std::uint64_t address) = 0;
  // Differs between any two states of the mappings and their tables, so that an unwinder may keep
  // what it found; 0: nothing may be kept.
  [[nodiscard]] virtual std::uint64_t version() const { return 0; }
};

struct stack_copy {
  std::uint64_t address = 0;  // of the first byte: the stack pointer
  std::span<const std::byte> bytes;
};

// A frame of a chain, leaf first. `exact`: the address is where the CPU was (the leaf, and what a
// signal interrupted); others are return addresses, behind the call.
struct frame {
  std::uint64_t address = 0;
  bool exact = false;
};

class rule_cache;

class unwinder {
 public:
  explicit unwinder(architecture arch);
  unwinder(unwinder&&) noexcept;
  unwinder& operator=(unwinder&&) noexcept;
  unwinder(const unwinder&) = delete;
  unwinder& operator=(const unwinder&) = delete;
  ~unwinder();

  // Walks from `first` on; appends the frames, the first one included, to `into`.
  chain_end walk(const registers& first, const stack_copy& stack, code_map& code,
                 std::vector<frame>& into, std::size_t most_frames = 1024);
  // Whether the last walk asked for bytes behind the end of its copy. If not, it would have found
  // the same with a longer copy.
  [[nodiscard]] bool missed_stack() const noexcept { return missed_stack_; }

 private:
  architecture arch_;
  bool missed_stack_ = false;
  std::unique_ptr<rule_cache> kept_;
};

}  // namespace stallscope::unwind
