// The content of sections that are stored in a file, plain or compressed.
#pragma once

#include <memory>

#include "dwarf/section.hpp"

namespace stallscope::dwarf {

// Reads nothing yet. Throws malformed if the place is impossible, std::bad_alloc if the address
// space for the section cannot be had, and later std::system_error if the file cannot be read.
std::unique_ptr<section_content> stored_content(int descriptor, const section_place& place);

}  // namespace stallscope::dwarf
