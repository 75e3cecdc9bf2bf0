// Reads the control frames of a Ruby process. Ruby keeps them in its VM stack, not on the native
// stack, and the process runs on while they are read: they are copied twice by one call, and a
// frame that differs between the copies makes the read be repeated. Costs 3 to 4 reads of memory
// per sample of known functions. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "managed_frames/runtime_reader.hpp"
#include "process_reading/page_snapshot.hpp"
#include "ruby_frames/function_table.hpp"
#include "ruby_frames/layout.hpp"
#include "ruby_frames/threads.hpp"

namespace stallscope::ruby_frames {

class reader final : public managed_frames::runtime_reader {
 public:
  // `vm` is the address of ruby_current_vm_ptr. The log must outlive the reader.
  reader(pid_t pid, const layout& fields, std::uint64_t vm, objects names,
         managed_frames::function_log& log);

  managed_frames::walk_result walk(const managed_frames::stack_sample& sample,
                                   managed_frames::managed_stack& into) override;
  // As for CPython: frames that are read later belong to another moment than the native stack.
  [[nodiscard]] std::uint64_t longest_age_ns() const noexcept override { return 2'000'000; }

 private:
  struct frame {
    std::uint64_t pc = 0;
    executed_code code;
    bool first_of_call = false;  // the interpreter's loop was called for this frame
  };
  using outcome = process_reading::structure_read;
  outcome follow(const execution_context& context);
  outcome add_frame(std::uint64_t address);
  // The method entry of an environment, 0 without one; nullopt if pages are missing.
  std::optional<std::uint64_t> method_of(std::uint64_t environment);
  std::optional<std::uint64_t> method_in(std::uint64_t object);
  void put_runs(managed_frames::managed_stack& into);

  layout fields_;
  process_reading::process_memory memory_;
  threads threads_;
  function_table functions_;
  process_reading::page_snapshot pages_;
  std::vector<frame> frames_;  // innermost first
};

}  // namespace stallscope::ruby_frames
