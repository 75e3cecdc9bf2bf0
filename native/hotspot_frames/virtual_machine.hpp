// Finds the HotSpot virtual machine of a process: libjvm, its version and the layout of its
// structures. Costs some small reads of the library and about 50 reads of memory. The process is
// untrusted: all reads take from a budget. Its files and memory may block the caller for any time.
// Any thread.
#pragma once

#include <optional>
#include <string>

#include "hotspot_frames/vm_layout.hpp"
#include "managed_frames/runtime_reader.hpp"

namespace stallscope::hotspot_frames {

struct virtual_machine {
  std::string version;  // for example 21.0.4+7-LTS
  vm_layout layout;
};

struct virtual_machine_search {
  std::optional<virtual_machine> match;
  bool present = false;  // the process has mapped libjvm, even if it cannot be read
  std::string refusal;   // why it cannot be read; empty without a match: it is not started yet
};

virtual_machine_search find_virtual_machine(const managed_frames::target_view& target,
                                            read_budget& budget);

}  // namespace stallscope::hotspot_frames
