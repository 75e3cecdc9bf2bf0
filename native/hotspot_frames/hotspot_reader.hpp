// The reader of HotSpot processes: Java frames of a sample in segments, from the interrupted
// instruction, or from the position at which the thread left Java code. A sample whose
// frames are known costs two system calls. A reader belongs to one process and one thread.
#pragma once

#include "managed_frames/runtime_reader.hpp"

namespace stallscope::hotspot_frames {

// "hotspot": OpenJDK 17 to 25.
managed_frames::runtime_kind hotspot_kind();

}  // namespace stallscope::hotspot_frames
