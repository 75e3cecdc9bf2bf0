// Where the fields of Ruby's structures are, in bytes, by version. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "unwind/registers.hpp"

namespace stallscope::ruby_frames {

struct layout {
  std::uint32_t major = 3;
  std::uint32_t minor = 0;
  // rb_vm_t, rb_ractor_t, rb_thread_t
  std::uint32_t vm_main_ractor = 0;
  std::uint32_t ractor_threads = 0;  // head of the list
  std::uint32_t ractor_running = 0;  // execution context of the thread that holds the lock
  std::uint32_t thread_context = 0;
  // rb_execution_context_t
  std::uint32_t context_stack = 0;
  std::uint32_t context_stack_size = 0;  // in words
  std::uint32_t context_frame = 0;
  std::uint32_t context_stack_start = 0;  // of the native stack
  std::uint32_t context_stack_bytes = 0;
  std::uint32_t context_bytes = 0;  // up to the last field that is read
  // rb_control_frame_t
  std::uint32_t frame_bytes = 0;
  std::uint32_t frame_pc = 0;
  std::uint32_t frame_iseq = 0;
  std::uint32_t frame_environment = 0;
  // rb_iseq_t and its body
  std::uint32_t iseq_body = 0;
  std::uint32_t body_size = 4;
  std::uint32_t body_encoded = 8;
  std::uint32_t body_path = 0;
  std::uint32_t body_base_label = 0;
  std::uint32_t body_label = 0;
  std::uint32_t body_first_line = 0;
  std::uint32_t body_lines = 0;        // insns_info.body
  std::uint32_t body_line_count = 0;   // insns_info.size
  std::uint32_t body_line_index = 0;   // insns_info.succ_index_table
  std::uint32_t body_bytes = 0;        // up to the last field that is read
  std::uint32_t line_entry_bytes = 0;  // the line is the first field
  // rb_callable_method_entry_t
  std::uint32_t method_called_id = 0;
  std::uint32_t method_owner = 0;
  std::uint32_t method_bytes = 0;
  // Objects.
  std::uint32_t class_extension = 0;      // RClass.ptr
  std::uint32_t extension_variables = 0;  // rb_classext_t.iv_tbl, which has the name of the class
  std::uint32_t string_pointer = 24;
  std::uint32_t array_pointer = 32;
  std::uint64_t last_operator_id = 0;  // tLAST_OP_ID
};

// Returns the layout of a version such as 3.1.7; nullopt if it is not known.
std::optional<layout> layout_of(std::string_view version, unwind::architecture arch);

}  // namespace stallscope::ruby_frames
