// V8 10.x as in Node 18. Source: src/objects/{code,js-function,shared-function-info,scope-info,
// bytecode-array}.tq and src/objects/deoptimization-data.h of V8 10.2.154, checked on running
// processes of Node 18.20.8.
#pragma once

#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {

inline constexpr version_offsets v8_10{.major = 10,
                                       .first_minor = 2,
                                       .last_minor = 2,
                                       .code_is_inline = true,
                                       .stream_header = 128,
                                       .code_flags = 48,
                                       .code_size = 40,
                                       .code_deoptimization = 16,
                                       .code_positions = 24,
                                       .bytecode_positions = 32};

}  // namespace stallscope::v8_frames
