// Where the fields of PHP's structures are, in bytes, by version. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace stallscope::php_frames {

struct layout {
  std::uint32_t major = 8;
  std::uint32_t minor = 0;
  std::uint32_t module_api = 0;     // ZEND_MODULE_API_NO
  std::uint32_t current_frame = 0;  // executor_globals.current_execute_data
  // zend_execute_data
  std::uint32_t frame_opline = 0;
  std::uint32_t frame_function = 24;
  std::uint32_t frame_call_info = 40;  // This.u1.type_info
  std::uint32_t frame_previous = 48;
  std::uint32_t frame_bytes = 80;
  std::uint32_t call_is_top = 1U << 17U;  // ZEND_CALL_TOP: the loop was entered for this frame
  // zend_function
  std::uint32_t function_type = 0;  // 1 byte
  std::uint32_t function_name = 8;
  std::uint32_t function_scope = 16;
  std::uint32_t function_filename = 0;  // followed by line_start, line_end
  std::uint32_t user_function = 2;      // ZEND_USER_FUNCTION; eval code is 4
  std::uint32_t eval_code = 4;
  std::uint32_t class_name = 8;
  std::uint32_t opline_line = 24;  // zend_op.lineno
  // zend_string
  std::uint32_t string_length = 16;
  std::uint32_t string_text = 24;
};

// Returns the layout of a version; nullopt if it is not known.
std::optional<layout> layout_of(std::uint32_t module_api);

}  // namespace stallscope::php_frames
