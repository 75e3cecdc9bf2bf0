// Recognises Ruby in a process by the symbols that libruby or the program exports, and makes its
// reader. Costs some small reads of these files and a read of their data. Any thread.
#pragma once

#include "managed_frames/runtime_reader.hpp"

namespace stallscope::ruby_frames {

managed_frames::runtime_kind ruby_kind();

}  // namespace stallscope::ruby_frames
