// Walks a copied stack: with call frame information where the code has some, with the frame pointer
// elsewhere (code generated at run time, assembly). Reads only its arguments; a frame costs about
// 100 ns. Every walk ends, even with invalid tables. An unwinder belongs to a single thread.
//  unwinder walker(architecture::x86_64);
//  const chain_end end = walker.walk(registers, copy, mappings, frames);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "unwind/registers.hpp"
#include "unwind/table.hpp"

namespace stallscope::unwind {

// The reason why a chain ends. The numbers are part of the Python interface (Capture.stack_end).
enum class chain_end : std::uint8_t {
  kernel_given = 0,  // not unwound: the kernel's chain, by frame pointers
  complete = 1,      // the outermost frame, by its table or a zero frame pointer
  cut_by_copy = 2,   // the next frame is beyond the copied bytes
  no_table = 3,      // neither unwind information nor a frame pointer at the outermost address
  bad_frame = 4,     // the next frame is invalid: damaged table, or a stack being modified
  unmapped = 5,      // the outermost address is not in executable mapped memory
  other_stack = 6,   // the next frame is on another stack, which was not copied
  too_deep = 7,      // more frames than the limit
  no_registers = 8,  // no registers: a 32-bit process, or none were recorded
};

// A mapping of code.
struct mapped_code {
  std::uint64_t start = 0;  // [start, end)
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;         // of `start`
  const unwind::table* table = nullptr;  // nullptr if unknown
};

// The mappings of a process.
class code_map {
 public:
  code_map() = default;
  code_map(const code_map&) = delete;
  code_map& operator=(const code_map&) = delete;
  code_map(code_map&&) = delete;
  code_map& operator=(code_map&&) = delete;
  virtual ~code_map() = default;
  // Returns nullptr if no executable mapping contains the address. The result is valid until the
  // next call.
  virtual const mapped_code* find(std::uint64_t address) = 0;
  // Changes with the mappings and their tables, so that an unwinder may cache rules. 0 disables
  // caching.
  [[nodiscard]] virtual std::uint64_t version() const { return 0; }
};

struct stack_copy {
  std::uint64_t address = 0;  // of the first byte: the stack pointer
  std::span<const std::byte> bytes;
};

// A run of managed frames, read by their runtime's reader beside the sample: the program counter
// and the stack pointer with which a walk enters it, and the registers with which it continues. A
// return address of 0: the chain is complete; of 1: the rest was not copied.
struct managed_run {
  std::uint64_t entry_pc = 0;
  std::uint64_t entry_sp = 0;
  std::uint64_t exit_pc = 0;
  std::uint64_t exit_sp = 0;
  std::uint64_t exit_fp = 0;
  std::uint64_t number = 0;  // of the frames
};

// The loop of an interpreter whose core keeps the program counter of interpreted code in a
// register.
struct interpreter_loop {
  std::uint64_t begin = 0;  // [begin, end): the function that calls the core
  std::uint64_t end = 0;
  unsigned counter = 0;  // DWARF number of the register
};

// A frame of a chain, leaf first. If `exact` is set, the address is the program counter (of the
// leaf, or of code that a signal interrupted); otherwise it is a return address, after the call.
struct frame {
  std::uint64_t address = 0;
  bool exact = false;
  bool managed = false;      // a run of managed frames; the address is its number
  bool interpreted = false;  // the address is the program counter of interpreted code
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

  // Walks from the registers `first` on and appends the frames, including the first, to `into`.
  // `runs` are the managed frames of the stack, innermost first. A walk that does not arrive at the
  // next run continues there, because the reader of the runtime knows its frames. `loop`: each call
  // of the core of this loop gets a frame of interpreted code between the core and its caller.
  chain_end walk(const registers& first, const stack_copy& stack, code_map& code,
                 std::vector<frame>& into, std::size_t max_frames = 1024,
                 std::span<const managed_run> runs = {}, const interpreter_loop* loop = nullptr);
  // Whether the last walk needed bytes past the end of its copy. If not, a longer copy gives the
  // same chain.
  [[nodiscard]] bool missed_stack() const noexcept { return missed_stack_; }

 private:
  architecture arch_;
  bool missed_stack_ = false;
  std::unique_ptr<rule_cache> cache_;
};

}  // namespace stallscope::unwind
