// PHP 8.3, not thread-safe. Source: Zend/zend_globals.h, zend_compile.h and zend_types.h of
// PHP 8.3. The place of the file name is that of opentelemetry-ebpf-profiler, interpreter/php; not
// checked on a running process of this version, so a function is named only if its fields are
// plausible.
#pragma once

#include "php_frames/layout.hpp"

namespace stallscope::php_frames {

inline constexpr layout php_8_3{
    .minor = 3, .module_api = 20230831, .current_frame = 488, .function_filename = 144};

}  // namespace stallscope::php_frames
