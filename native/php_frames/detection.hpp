// Recognises PHP in a process by the symbols that php, php-fpm or libphp export, and makes its
// reader. Costs some small reads of these files and of the list of modules. Any thread.
#pragma once

#include "managed_frames/runtime_reader.hpp"

namespace stallscope::php_frames {

managed_frames::runtime_kind php_kind();

}  // namespace stallscope::php_frames
