// Recognises V8 in a process by the symbols that its file exports (the program, or a library such
// as libnode.so), and makes its reader. Costs some small reads of the mapped files; making the
// reader costs a read of the symbol table, some 30 MB in 30 ms. Any thread.
#pragma once

#include "managed_frames/runtime_reader.hpp"

namespace stallscope::v8_frames {

managed_frames::runtime_kind v8_kind();

}  // namespace stallscope::v8_frames
