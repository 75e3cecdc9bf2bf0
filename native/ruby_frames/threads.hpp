// The execution contexts of a Ruby process: the one whose native stack a sample is on. Fibers have
// their own context and stack. A context that is as in the thread's last sample costs one read,
// otherwise 2 reads per thread. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "process_reading/process_memory.hpp"
#include "ruby_frames/layout.hpp"

namespace stallscope::ruby_frames {

struct execution_context {
  std::uint64_t address = 0;
  std::uint64_t frames_end = 0;  // end of the stack of control frames
  std::uint64_t frames_begin = 0;
};

class threads {
 public:
  // `vm` is the address of ruby_current_vm_ptr.
  threads(process_reading::process_memory memory, const layout& fields, std::uint64_t vm)
      : memory_{memory}, fields_{fields}, vm_{vm} {}

  // The context of the thread whose stack pointer this is; nullopt if it runs no Ruby code, or
  // belongs to another ractor than the main one.
  std::optional<execution_context> context_of(pid_t tid, std::uint64_t stack_pointer);

 private:
  [[nodiscard]] std::optional<execution_context> on_stack(std::uint64_t context,
                                                          std::uint64_t stack_pointer) const;

  process_reading::process_memory memory_;
  layout fields_;
  std::uint64_t vm_;
  std::unordered_map<pid_t, std::uint64_t> last_;  // address of the context, by thread
};

}  // namespace stallscope::ruby_frames
