// The offsets of the fields of CPython's internal structures, from _PyRuntime to the frames of a
// thread. For 3.11 and 3.12 they are constants; from 3.13 on the interpreter publishes them
// (_Py_DebugOffsets). Unknown versions and builds have no layout; offsets are never guessed.
// Parsing takes constant time. Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace stallscope::python_frames {

struct runtime_offsets {
  std::uint64_t interpreters_head = 0;
  std::uint64_t gil = 0;  // only with gil_of_runtime
};

struct interpreter_offsets {
  std::uint64_t next = 0;
  std::uint64_t threads_head = 0;
  std::uint64_t gil = 0;  // pointer to the GIL's state, unless gil_of_runtime
};

struct gil_offsets {
  std::uint64_t last_holder = 8;
  std::uint64_t locked = 16;
};

struct thread_offsets {
  std::uint64_t next = 0;
  std::uint64_t native_thread_id = 0;
  std::uint64_t datastack_chunk = 0;
  // The current frame, or with has_cframe the structure that points to it.
  std::uint64_t current_frame = 0;
  std::uint64_t frame_of_cframe = 0;
};

struct frame_offsets {
  std::uint64_t executable = 0;
  std::uint64_t previous = 0;
  std::uint64_t instruction = 0;
  std::uint64_t owner = 0;
  std::uint64_t is_entry = 0;  // only with has_entry_flag
  std::uint64_t size = 0;      // excluding the locals
};

struct code_offsets {
  std::uint64_t file_name = 0;
  std::uint64_t qualified_name = 0;
  std::uint64_t line_table = 0;
  std::uint64_t first_line = 0;
  std::uint64_t instructions = 0;
};

struct object_offsets {
  std::uint64_t type = 8;
  std::uint64_t variable_size = 16;  // ob_size of tuples, bytes and code
  std::uint64_t bytes_content = 32;
  std::uint64_t text_length = 16;
  std::uint64_t text_state = 32;
  std::uint64_t ascii_text_content = 40;
  std::uint64_t compact_text_content = 56;
};

struct layout {
  runtime_offsets runtime;
  interpreter_offsets interpreter;
  gil_offsets gil;
  thread_offsets thread;
  frame_offsets frame;
  code_offsets code;
  object_offsets object;
  bool gil_of_runtime = false;  // 3.11: a single GIL for all interpreters
  bool has_cframe = false;      // 3.11 and 3.12
  // 3.11 marks the first frame of a call of the evaluation loop. Later versions insert a shim frame
  // below it instead; its owner is at least `first_foreign_owner`.
  bool has_entry_flag = false;
  std::uint8_t first_foreign_owner = 3;
};

// Returns the layout of 3.11 or 3.12 by minor version.
std::optional<layout> known_layout(unsigned minor_version);

// Number of bytes from _PyRuntime that layout_from_debug_offsets() reads.
inline constexpr std::size_t debug_offsets_bytes = 1024;

struct layout_result {
  std::optional<layout> fields;
  std::string refusal;  // reason if there is no layout
};

// Parses the offsets at the start of _PyRuntime of 3.13 or 3.14. They are untrusted input and are
// validated.
layout_result layout_from_debug_offsets(std::span<const std::byte> runtime, std::uint32_t version);

}  // namespace stallscope::python_frames
