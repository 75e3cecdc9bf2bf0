// V8 11.x as in Node 20. Source: src/objects/{code,js-function,shared-function-info,scope-info,
// bytecode-array}.tq and src/objects/deoptimization-data.h of V8 11.3.244, checked on running
// processes of Node 20.20.2.
#pragma once

#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {

inline constexpr version_offsets v8_11{.major = 11,
                                       .first_minor = 3,
                                       .last_minor = 3,
                                       .stream_header = 16,
                                       .code_start = 40,
                                       .code_flags = 48,
                                       .code_size = 56,
                                       .code_deoptimization = 16,
                                       .code_positions = 24,
                                       .bytecode_positions = 32};

}  // namespace stallscope::v8_frames
