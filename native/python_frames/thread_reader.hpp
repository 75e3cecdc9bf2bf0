// The Python frames of the threads of one process, read while it runs: never stopped, never
// written to. A stack is taken for one only if a second look found the same frames; what changed
// meanwhile is torn, and given up after two more tries. A stack of 20 frames costs 5 system calls
// and some 10 us. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "python_frames/code_table.hpp"
#include "python_frames/double_look.hpp"
#include "python_frames/interpreter.hpp"

namespace stallscope::python_frames {

struct python_frame {
  std::uint64_t code = 0;         // its number in the code table
  std::uint32_t instruction = 0;  // in bytes from the code's first
  bool entered_from_c = false;    // the outermost of what one call of the evaluation loop runs
  bool operator==(const python_frame&) const = default;
};

enum class read_result {
  read,
  torn,       // it changed while being read, each time
  no_frames,  // the thread runs no Python now, or is none of the interpreter's
  too_deep,   // more frames than are read
};

struct python_stack {
  std::vector<python_frame> frames;  // leaf first
  std::optional<bool> holds_gil;
};

class thread_reader {
 public:
  thread_reader(pid_t pid, interpreter of, std::shared_ptr<numbering> code_numbers);
  thread_reader(const thread_reader&) = delete;
  thread_reader& operator=(const thread_reader&) = delete;
  thread_reader(thread_reader&&) = delete;
  thread_reader& operator=(thread_reader&&) = delete;
  ~thread_reader() = default;

  // The thread's frames. Its number is the one of its own pid namespace.
  read_result read(pid_t native_id, python_stack& stack, std::vector<code_facts>& fresh);
  // Whether the interpreter has begun.
  [[nodiscard]] bool running() const;

 private:
  struct thread_place {
    std::uint64_t state = 0;  // of PyThreadState
    std::uint64_t gil = 0;    // of its interpreter's GIL; 0: none
  };
  struct raw_frame {
    std::uint64_t address = 0;
    std::uint64_t code = 0;
    std::uint64_t previous = 0;
    std::uint64_t instruction = 0;
    std::uint8_t owner = 0;
    bool is_entry = false;
  };
  // What tells the thread's frames, as one of the two looks found it.
  struct thread_now {
    std::uint64_t id = 0;
    std::uint64_t chunk = 0;         // where the newest part of the data stack begins
    std::uint64_t frame_holder = 0;  // the address of the word that points to the current frame
    std::uint64_t frame = 0;
    bool operator==(const thread_now&) const = default;
  };

  std::optional<thread_place> find(pid_t native_id);
  void list_threads();
  [[nodiscard]] std::uint64_t gil_of(std::uint64_t interpreter_state) const;
  read_result read_once(const thread_place& place, pid_t native_id);
  std::optional<thread_now> look_at(const thread_place& place);
  [[nodiscard]] std::optional<thread_now> looked_again(const thread_place& place) const;
  [[nodiscard]] bool walk(const thread_now& now);
  [[nodiscard]] raw_frame decode(std::uint64_t address, std::span<const std::byte> bytes) const;
  [[nodiscard]] bool foreign(const raw_frame& frame) const;
  [[nodiscard]] bool same_again(const thread_place& place, const thread_now& now);
  read_result name_frames(python_stack& stack, std::vector<code_facts>& fresh);
  [[nodiscard]] std::optional<bool> gil_held(const thread_place& place) const;

  process_memory memory_;
  interpreter interpreter_;
  code_table codes_;
  double_look look_;
  double_look::extent state_fields_;                         // of PyThreadState, what is read of it
  std::unordered_map<std::uint64_t, thread_place> threads_;  // by native id
  std::uint64_t threads_listed_ns_ = 0;
  std::vector<raw_frame> raw_;
};

}  // namespace stallscope::python_frames
