#include "python_frames/layout.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "process_reading/process_memory.hpp"

namespace stallscope::python_frames {
namespace {

// CPython 3.11: Include/internal/pycore_runtime.h, pycore_interp.h, pycore_gil.h, pycore_frame.h;
// Include/cpython/pystate.h, code.h, unicodeobject.h. The same for all 64-bit builds and patch
// versions without --with-pydebug and --with-trace-refs.
constexpr layout layout_3_11{.runtime = {.interpreters_head = 40, .gil = 360},
                             .interpreter = {.next = 0, .threads_head = 16, .gil = 0},
                             .gil = {.last_holder = 8, .locked = 16},
                             .thread = {.next = 8,
                                        .native_thread_id = 160,
                                        .datastack_chunk = 296,
                                        .current_frame = 56,
                                        .frame_of_cframe = 8},
                             .frame = {.executable = 32,
                                       .previous = 48,
                                       .instruction = 56,
                                       .owner = 69,
                                       .is_entry = 68,
                                       .size = 72},
                             .code = {.file_name = 112,
                                      .qualified_name = 128,
                                      .line_table = 136,
                                      .first_line = 72,
                                      .instructions = 184},
                             .object = {.ascii_text_content = 48, .compact_text_content = 72},
                             .gil_of_runtime = true,
                             .has_cframe = true,
                             .has_entry_flag = true};

// CPython 3.12: the same headers.
constexpr layout layout_3_12{
    .runtime = {.interpreters_head = 40, .gil = 0},
    .interpreter = {.next = 0, .threads_head = 72, .gil = 384},
    .gil = {.last_holder = 8, .locked = 16},
    .thread = {.next = 8,
               .native_thread_id = 144,
               .datastack_chunk = 232,
               .current_frame = 56,
               .frame_of_cframe = 0},
    .frame = {.executable = 0, .previous = 8, .instruction = 56, .owner = 70, .size = 72},
    .code = {.file_name = 112,
             .qualified_name = 128,
             .line_table = 136,
             .first_line = 68,
             .instructions = 192},
    .object = {.ascii_text_content = 40, .compact_text_content = 56},
    .has_cframe = true};

// The positions of the offsets in _Py_DebugOffsets, in 64-bit words. CPython 3.13:
// Include/internal/pycore_runtime.h; 3.14: Include/internal/pycore_debug_offsets.h.
struct word_places {
  std::size_t runtime_interpreters_head = 5;
  std::size_t interpreter_next = 8;
  std::size_t interpreter_threads_head = 9;
  std::size_t interpreter_gil = 0;
  std::size_t gil_state = 0;  // two words further "locked", then "holder"
  std::size_t thread_next = 0;
  std::size_t frame_size = 0;  // then previous, executable, instr_ptr, localsplus, owner
  std::size_t code_size = 0;   // then filename, name, qualname, linetable, firstlineno
  std::size_t object_size = 0;
  std::size_t bytes_size = 0;
  std::size_t text_size = 0;
};
constexpr word_places places_3_13{.interpreter_gil = 14,
                                  .gil_state = 15,
                                  .thread_next = 21,
                                  .frame_size = 28,
                                  .code_size = 34,
                                  .object_size = 44,
                                  .bytes_size = 64,
                                  .text_size = 67};
constexpr word_places places_3_14{.interpreter_gil = 15,
                                  .gil_state = 16,
                                  .thread_next = 24,
                                  .frame_size = 31,
                                  .code_size = 39,
                                  .object_size = 50,
                                  .bytes_size = 74,
                                  .text_size = 77};

constexpr std::string_view cookie{"xdebugpy"};
constexpr std::size_t words = debug_offsets_bytes / sizeof(std::uint64_t);
constexpr std::uint64_t largest_structure = std::uint64_t{1} << 22U;

using word_array = std::array<std::uint64_t, words>;

layout layout_of(const word_array& word, const word_places& at) {
  layout fields;
  fields.runtime.interpreters_head = word.at(at.runtime_interpreters_head);
  fields.interpreter = {word.at(at.interpreter_next), word.at(at.interpreter_threads_head),
                        word.at(at.interpreter_gil)};
  fields.gil = {word.at(at.gil_state + 3) - word.at(at.gil_state),
                word.at(at.gil_state + 2) - word.at(at.gil_state)};
  fields.thread = {.next = word.at(at.thread_next),
                   .native_thread_id = word.at(at.thread_next + 4),
                   .datastack_chunk = word.at(at.thread_next + 5),
                   .current_frame = word.at(at.thread_next + 2)};
  fields.frame = {.executable = word.at(at.frame_size + 2),
                  .previous = word.at(at.frame_size + 1),
                  .instruction = word.at(at.frame_size + 3),
                  .owner = word.at(at.frame_size + 5),
                  .size = word.at(at.frame_size + 4)};
  fields.code = {.file_name = word.at(at.code_size + 1),
                 .qualified_name = word.at(at.code_size + 3),
                 .line_table = word.at(at.code_size + 4),
                 .first_line = word.at(at.code_size + 5),
                 .instructions = word.at(at.code_size + 9)};
  fields.object = {.type = word.at(at.object_size + 1),
                   .variable_size = word.at(at.bytes_size + 1),
                   .bytes_content = word.at(at.bytes_size + 2),
                   .text_length = word.at(at.text_size + 2),
                   .text_state = word.at(at.text_size + 1),
                   .ascii_text_content = word.at(at.text_size + 3),
                   .compact_text_content = word.at(at.text_size) - sizeof(std::uint64_t)};
  return fields;
}

bool all_below(std::uint64_t limit, std::initializer_list<std::uint64_t> values) {
  return std::all_of(values.begin(), values.end(), [limit](auto value) { return value < limit; });
}

// Objects of a 64-bit build begin with a reference count and a type.
bool sensible(const layout& fields) {
  const auto& frame = fields.frame;
  const auto& object = fields.object;
  return object.type == 8 && object.variable_size == 16 && object.bytes_content == 32 &&
         object.text_length == 16 && object.text_state == 32 && object.ascii_text_content == 40 &&
         object.compact_text_content == 56 && frame.size >= 32 && frame.size <= 256 &&
         all_below(frame.size - 7, {frame.executable, frame.previous, frame.instruction}) &&
         frame.owner < frame.size &&
         all_below(512, {fields.code.file_name, fields.code.qualified_name, fields.code.line_table,
                         fields.code.first_line, fields.code.instructions}) &&
         all_below(4096, {fields.thread.next, fields.thread.native_thread_id,
                          fields.thread.datastack_chunk, fields.thread.current_frame}) &&
         all_below(256, {fields.gil.last_holder, fields.gil.locked}) &&
         all_below(largest_structure, {fields.runtime.interpreters_head, fields.interpreter.next,
                                       fields.interpreter.threads_head, fields.interpreter.gil});
}

}  // namespace

std::optional<layout> known_layout(unsigned minor_version) {
  if (minor_version == 11) return layout_3_11;
  if (minor_version == 12) return layout_3_12;
  return std::nullopt;
}

layout_result layout_from_debug_offsets(std::span<const std::byte> runtime, std::uint32_t version) {
  if (runtime.size() < debug_offsets_bytes) return {{}, "its table of offsets cannot be read"};
  word_array word{};
  std::memcpy(word.data(), runtime.data(), debug_offsets_bytes);
  if (std::memcmp(runtime.data(), cookie.data(), cookie.size()) != 0)
    return {{}, "its table of offsets has no cookie"};
  if (word[1] != version) return {{}, "its table of offsets belongs to another version"};
  if (word[2] != 0) return {{}, "it is built without a GIL (free threading)"};
  const unsigned minor_version = (version >> 16U) & 0xffU;
  if (minor_version != 13 && minor_version != 14)
    return {{}, "its table of offsets has an unsupported format"};
  auto fields = layout_of(word, minor_version == 13 ? places_3_13 : places_3_14);
  if (!sensible(fields)) return {{}, "its table of offsets is invalid"};
  return {fields, {}};
}

}  // namespace stallscope::python_frames
