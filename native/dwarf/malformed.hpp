// Debug information that contradicts itself. The message names what is wrong; the unit or file that
// it is about is known to the catcher.
#pragma once

#include <stdexcept>

namespace stallscope::dwarf {

class malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stallscope::dwarf
