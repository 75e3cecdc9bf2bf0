// V8 12.x as in Node 22. Source: src/objects/{code,js-function,shared-function-info,scope-info,
// bytecode-array}.tq and src/objects/deoptimization-data.h of V8 12.4.254, checked on running
// processes of Node 22.23.3.
#pragma once

#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {

inline constexpr version_offsets v8_12{.major = 12,
                                       .first_minor = 4,
                                       .last_minor = 4,
                                       .stream_header = 32,
                                       .code_start = 40,
                                       .code_flags = 48,
                                       .code_size = 52,
                                       .code_deoptimization = 8,
                                       .code_positions = 16,
                                       .bytecode_positions = 24};

}  // namespace stallscope::v8_frames
