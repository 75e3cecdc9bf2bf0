// Where V8's objects have their fields. Most offsets and instance types come from the constants
// that V8 exports for debuggers (v8dbg_*); those that it does not export come from the table of its
// version (versions/). Both are checked for the representation that the reader understands: tagged
// pointers of 64 bits, small integers in the upper half.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stallscope::v8_frames {

// What a version does not export, all in bytes from the start of an object.
struct version_offsets {
  std::uint32_t major = 0;
  std::uint32_t first_minor = 0;
  std::uint32_t last_minor = 0;
  bool code_is_inline = false;      // Code contains the instructions: no InstructionStream
  std::uint32_t stream_header = 0;  // of InstructionStream, or of such a Code
  std::uint32_t stream_code = 8;    // InstructionStream -> Code
  std::uint32_t code_start = 0;     // Code.instruction_start
  std::uint32_t code_flags = 0;
  std::uint32_t code_size = 0;  // Code.instruction_size
  std::uint32_t code_deoptimization = 0;
  std::uint32_t code_positions = 0;      // the bytecode array in baseline code
  std::uint32_t bytecode_positions = 0;  // BytecodeArray.source_position_table
  std::uint32_t function_data = 8;       // SharedFunctionInfo
  std::uint32_t js_function_types = 15;  // if the range of instance types is not exported
  bool scope_flags_are_smi = true;
  bool scope_has_positions = false;  // start and end follow the number of locals
  bool wrapped_shared_info = false;  // in deoptimization data
  std::uint32_t deopt_inlined_count = 1;
  std::uint32_t deopt_literals = 2;
  std::uint32_t deopt_shared_info = 6;
  std::uint32_t deopt_inlining_positions = 7;
  std::uint32_t regexp_kind = 3;
};

struct layout {
  version_offsets version;
  // Instance types.
  std::uint32_t stream_type = 0;
  std::uint32_t bytecode_type = 0;
  std::uint32_t scope_info_type = 0;
  std::uint32_t shared_info_type = 0;
  std::uint32_t script_type = 0;
  std::uint32_t first_function_type = 0;
  std::uint32_t last_function_type = 0;
  std::uint32_t map_type = 0;
  // Fields.
  std::uint32_t map_instance_type = 12;
  std::uint32_t function_shared = 0;
  std::uint32_t shared_name = 0;
  std::uint32_t shared_script = 0;
  std::uint32_t bytecode_data = 0;
  std::uint32_t script_name = 16;
  std::uint32_t script_source = 8;
  std::uint32_t code_kind_mask = 15;
  std::uint32_t kind_baseline = 0;
};

using constant_lookup = std::function<std::optional<std::int32_t>(std::string_view)>;

struct layout_search {
  std::optional<layout> fields;
  std::string refusal;  // ASCII
};

// `constant` returns the value of v8dbg_NAME.
layout_search layout_of(std::uint32_t major, std::uint32_t minor, const constant_lookup& constant);

}  // namespace stallscope::v8_frames
