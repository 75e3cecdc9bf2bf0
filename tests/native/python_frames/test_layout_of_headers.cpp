#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "python_frames/layout.hpp"

extern "C" {
extern const unsigned header_minor_version;
extern const unsigned long header_offsets[];
extern const unsigned long header_offset_count;
}

namespace stallscope::python_frames {

TEST_CASE("the constant offsets equal the headers of the installed interpreter") {
  const auto fields = known_layout(header_minor_version);
  REQUIRE(fields.has_value());
  const auto& at = *fields;
  const std::vector<unsigned long> ours{at.runtime.interpreters_head,
                                        at.runtime.gil,
                                        at.interpreter.gil,
                                        at.frame.is_entry,
                                        at.gil.last_holder,
                                        at.gil.locked,
                                        at.interpreter.next,
                                        at.interpreter.threads_head,
                                        at.thread.next,
                                        at.thread.native_thread_id,
                                        at.thread.datastack_chunk,
                                        at.thread.current_frame,
                                        at.thread.frame_of_cframe,
                                        at.frame.executable,
                                        at.frame.previous,
                                        at.frame.instruction,
                                        at.frame.owner,
                                        at.frame.size,
                                        at.code.file_name,
                                        at.code.qualified_name,
                                        at.code.line_table,
                                        at.code.first_line,
                                        at.code.instructions,
                                        at.object.type,
                                        at.object.variable_size,
                                        at.object.bytes_content,
                                        at.object.text_length,
                                        at.object.text_state,
                                        at.object.ascii_text_content,
                                        at.object.compact_text_content};
  const std::vector<unsigned long> theirs(header_offsets, header_offsets + header_offset_count);
  CHECK(ours == theirs);
}

}  // namespace stallscope::python_frames
