// Reads the Python frames of the threads of a process while it runs, without stopping it or writing
// to it. A stack is accepted only if a second read returns the same frames; otherwise it is torn,
// and two more attempts follow. A stack of 20 frames costs 5 system calls, about 10 us. A reader
// belongs to a single thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "process_reading/consistent_read.hpp"
#include "python_frames/code_table.hpp"
#include "python_frames/interpreter.hpp"

namespace stallscope::python_frames {

struct python_frame {
  std::uint64_t code = 0;         // number in the code table
  std::uint32_t instruction = 0;  // byte offset from the first instruction of the code
  bool entered_from_c = false;    // the outermost frame of a call of the evaluation loop
  bool operator==(const python_frame&) const = default;
};

enum class read_result {
  read,
  torn,       // changed during every attempt
  no_frames,  // the thread runs no Python code, or does not belong to the interpreter
  too_deep,   // more frames than the limit
};

struct python_stack {
  std::vector<python_frame> frames;  // leaf first
  std::optional<bool> holds_gil;
};

class thread_reader {
 public:
  thread_reader(pid_t pid, interpreter of,
                std::shared_ptr<process_reading::numbering> code_numbers);
  thread_reader(const thread_reader&) = delete;
  thread_reader& operator=(const thread_reader&) = delete;
  thread_reader(thread_reader&&) = delete;
  thread_reader& operator=(thread_reader&&) = delete;
  ~thread_reader() = default;

  // Reads the frames of a thread. `native_id` is its id in its innermost pid namespace.
  read_result read(pid_t native_id, python_stack& stack, std::vector<code_facts>& fresh);
  // Whether the interpreter is initialized.
  [[nodiscard]] bool running() const;

 private:
  struct thread_location {
    std::uint64_t state = 0;  // address of PyThreadState
    std::uint64_t gil = 0;    // address of its interpreter's GIL, 0 if there is none
    std::vector<process_reading::consistent_read::extent>
        expected{};  // memory that the previous read has used
  };
  struct raw_frame {
    std::uint64_t address = 0;
    std::uint64_t code = 0;
    std::uint64_t previous = 0;
    std::uint64_t instruction = 0;
    std::uint8_t owner = 0;
    bool is_entry = false;
  };
  // The fields that locate a thread's frames, as read by the first or the second read.
  struct thread_position {
    std::uint64_t id = 0;
    std::uint64_t chunk = 0;         // start of the newest chunk of the data stack
    std::uint64_t frame_holder = 0;  // address of the pointer to the current frame
    std::uint64_t frame = 0;
    bool operator==(const thread_position&) const = default;
  };

  thread_location* find(pid_t native_id);  // nullptr if unknown
  void list_threads();
  [[nodiscard]] std::uint64_t gil_of(std::uint64_t interpreter_state) const;
  read_result read_once(thread_location& place, pid_t native_id);
  bool add_first_windows(const thread_location& place);
  std::optional<thread_position> first_position(const thread_location& place);
  [[nodiscard]] std::optional<thread_position> second_position(const thread_location& place) const;
  [[nodiscard]] bool walk_frames(const thread_position& now);
  [[nodiscard]] raw_frame decode(std::uint64_t address, std::span<const std::byte> bytes) const;
  [[nodiscard]] bool foreign(const raw_frame& frame) const;
  [[nodiscard]] bool unchanged(const thread_location& place, const thread_position& now);
  void list_code_addresses();
  read_result name_frames(python_stack& stack, std::vector<code_facts>& fresh);
  [[nodiscard]] std::optional<bool> gil_held(const thread_location& place) const;

  process_reading::process_memory memory_;
  interpreter interpreter_;
  code_table codes_;
  process_reading::consistent_read reading_;
  process_reading::consistent_read::extent state_fields_;  // the part of PyThreadState that is read
  std::unordered_map<std::uint64_t, thread_location> threads_;  // by native id
  std::uint64_t threads_listed_ns_ = 0;
  std::vector<raw_frame> raw_;
  std::vector<std::uint64_t> code_addresses_;  // of the frames, each once
};

}  // namespace stallscope::python_frames
