// The structures of an interpreter in this process's memory, with the layout of 3.11. A reader
// treats them like those of another process. Costs about 0.5 MiB; belongs to a single test.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include "python_frames/interpreter.hpp"

namespace stallscope::python_frames {

class fake_interpreter {
 public:
  static constexpr pid_t native_id = 4711;

  fake_interpreter() : fields_{*known_layout(11)} {
    set(runtime_, fields_.runtime.interpreters_head, address(interpreter_));
    set(interpreter_, fields_.interpreter.threads_head, address(thread_));
    set(thread_, fields_.thread.native_thread_id, native_id);
    set(thread_, fields_.thread.current_frame, address(cframe_));
    set(thread_, fields_.thread.datastack_chunk, address(stack_));
    set(runtime_, fields_.runtime.gil + fields_.gil.last_holder, address(thread_));
    set(runtime_, fields_.runtime.gil + fields_.gil.locked, std::int32_t{1});
  }

  [[nodiscard]] interpreter description() const {
    return {address(runtime_), address(code_type_), "3.11.2", fields_};
  }

  // Adds a code object with this name and returns its address.
  std::uint64_t add_code(std::string_view name) {
    const auto text = add_text(name);
    auto& code = memory_.emplace_back(512);
    set(code, fields_.object.type, address(code_type_));
    set(code, fields_.object.variable_size, std::uint64_t{100});
    set(code, fields_.code.file_name, text);
    set(code, fields_.code.qualified_name, text);
    set(code, fields_.code.line_table, add_text(""));
    set(code, fields_.code.first_line, std::int32_t{7});
    return address(code);
  }
  std::uint64_t add_text(std::string_view content) {
    constexpr std::uint32_t compact_ascii = 1U << 2U | 1U << 5U | 1U << 6U;
    auto& text = memory_.emplace_back(128 + content.size());
    set(text, fields_.object.text_length, std::uint64_t{content.size()});
    set(text, fields_.object.text_state, compact_ascii);
    std::memcpy(text.data() + fields_.object.ascii_text_content, content.data(), content.size());
    return address(text);
  }

  // Address of frame i in the data stack. Frame i - 1 is its caller.
  [[nodiscard]] std::uint64_t frame_address(std::size_t i) const {
    return address(stack_) + 64 + i * fields_.frame.size;
  }
  void set_frame(std::size_t i, std::uint64_t code, bool is_entry) {
    auto at = static_cast<std::size_t>(frame_address(i) - address(stack_));
    set(stack_, at + fields_.frame.executable, code);
    set(stack_, at + fields_.frame.previous, i == 0 ? 0 : frame_address(i - 1));
    set(stack_, at + fields_.frame.instruction, code + fields_.code.instructions + 2 * (i % 50));
    set(stack_, at + fields_.frame.is_entry, static_cast<std::uint8_t>(is_entry));
    set(stack_, at + fields_.frame.owner, std::uint8_t{0});
  }
  void set_previous(std::size_t i, std::uint64_t previous) {
    set(stack_,
        static_cast<std::size_t>(frame_address(i) - address(stack_)) + fields_.frame.previous,
        previous);
  }
  void set_current(std::uint64_t frame) { set(cframe_, fields_.thread.frame_of_cframe, frame); }
  void set_next_thread(std::uint64_t next) { set(thread_, fields_.thread.next, next); }
  [[nodiscard]] std::uint64_t thread_address() const { return address(thread_); }
  void release_gil() { set(runtime_, fields_.runtime.gil + fields_.gil.locked, std::int32_t{0}); }
  std::vector<std::byte>& memory_at(std::uint64_t of) {
    for (auto& block : memory_) {
      if (address(block) == of) return block;
    }
    return memory_.front();
  }
  [[nodiscard]] const layout& fields() const { return fields_; }

  template <class T>
  static void set(std::vector<std::byte>& bytes, std::uint64_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }

 private:
  static std::uint64_t address(const std::vector<std::byte>& bytes) {
    return reinterpret_cast<std::uint64_t>(bytes.data());
  }

  layout fields_;
  std::vector<std::byte> runtime_ = std::vector<std::byte>(1024);
  std::vector<std::byte> interpreter_ = std::vector<std::byte>(1024);
  std::vector<std::byte> thread_ = std::vector<std::byte>(1024);
  std::vector<std::byte> cframe_ = std::vector<std::byte>(64);
  std::vector<std::byte> code_type_ = std::vector<std::byte>(64);
  std::vector<std::byte> stack_ = std::vector<std::byte>(std::size_t{1} << 19U);
  std::deque<std::vector<std::byte>> memory_;
};

}  // namespace stallscope::python_frames
