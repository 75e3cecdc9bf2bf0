// Ruby 3.1. Source: vm_core.h, method.h, iseq.h, internal/class.h and symbol.c of Ruby 3.1, by
// offsetof() on rb_mjit_min_header-3.1.7.h of Debian 12. Checked on running processes of Ruby
// 3.1.7.
#pragma once

#include "ruby_frames/layout.hpp"

namespace stallscope::ruby_frames {

inline constexpr layout ruby_3_1{.minor = 1,
                                 .vm_main_ractor = 32,
                                 .ractor_threads = 304,
                                 .ractor_running = 520,
                                 .thread_context = 40,
                                 .context_stack = 0,
                                 .context_stack_size = 8,
                                 .context_frame = 16,
                                 .context_stack_start = 144,
                                 .context_stack_bytes = 160,
                                 .context_bytes = 168,
                                 .frame_bytes = 64,
                                 .frame_pc = 0,
                                 .frame_iseq = 16,
                                 .frame_environment = 32,
                                 .iseq_body = 16,
                                 .body_path = 64,
                                 .body_base_label = 72,
                                 .body_label = 80,
                                 .body_first_line = 88,
                                 .body_lines = 120,
                                 .body_line_count = 136,
                                 .body_line_index = 144,
                                 .body_bytes = 152,
                                 .line_entry_bytes = 12,
                                 .method_called_id = 24,
                                 .method_owner = 32,
                                 .method_bytes = 40,
                                 .class_extension = 24,
                                 .extension_variables = 8,
                                 .last_operator_id = 169};

// Of arm64, where mutexes of the C library are larger; by the same header for arm64 (3.1.2).
inline constexpr layout ruby_3_1_arm64 = [] {
  layout fields = ruby_3_1;
  fields.ractor_threads = 312;
  fields.ractor_running = 536;
  return fields;
}();

}  // namespace stallscope::ruby_frames
