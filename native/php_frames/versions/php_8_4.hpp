// PHP 8.4, not thread-safe. Source: Zend/zend_globals.h, zend_compile.h and zend_types.h of
// PHP 8.4. The place of the file name is that of opentelemetry-ebpf-profiler, interpreter/php; not
// checked on a running process of this version, so a function is named only if its fields are
// plausible.
#pragma once

#include "php_frames/layout.hpp"

namespace stallscope::php_frames {

inline constexpr layout php_8_4{
    .minor = 4, .module_api = 20240924, .current_frame = 488, .function_filename = 168};

}  // namespace stallscope::php_frames
