// PHP 8.2, not thread-safe. Source: Zend/zend_globals.h, zend_compile.h and zend_types.h of
// PHP 8.2. Checked on running processes of PHP 8.2.36.
#pragma once

#include "php_frames/layout.hpp"

namespace stallscope::php_frames {

inline constexpr layout php_8_2{
    .minor = 2, .module_api = 20220829, .current_frame = 488, .function_filename = 152};

}  // namespace stallscope::php_frames
