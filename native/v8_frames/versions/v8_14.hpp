// V8 14.x as in Node 26. Source: src/objects/{code,js-function,shared-function-info,scope-info,
// bytecode-array}.tq and src/objects/deoptimization-data.h of V8 14.6.202, checked on running
// processes of Node 26.10.0.
#pragma once

#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {

inline constexpr version_offsets v8_14{.major = 14,
                                       .first_minor = 6,
                                       .last_minor = 6,
                                       .stream_header = 32,
                                       .code_start = 40,
                                       .code_flags = 52,
                                       .code_size = 56,
                                       .code_deoptimization = 8,
                                       .code_positions = 16,
                                       .bytecode_positions = 24,
                                       .scope_flags_are_smi = false,
                                       .scope_has_positions = true,
                                       .wrapped_shared_info = true,
                                       .deopt_literals = 3,
                                       .deopt_shared_info = 7,
                                       .deopt_inlining_positions = 8,
                                       .regexp_kind = 4};

}  // namespace stallscope::v8_frames
