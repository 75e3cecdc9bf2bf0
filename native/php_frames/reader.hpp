// Reads the frames of a PHP process. PHP keeps them as a linked list in its VM stack, not on the
// native stack, and the process runs on while they are read: the list is copied twice by one call,
// and a frame that differs between the copies makes the read be repeated. Costs 4 reads of memory
// per sample of known functions. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "managed_frames/runtime_reader.hpp"
#include "php_frames/function_table.hpp"
#include "php_frames/layout.hpp"
#include "process_reading/page_snapshot.hpp"

namespace stallscope::php_frames {

class reader final : public managed_frames::runtime_reader {
 public:
  // `globals` is the address of executor_globals. The log must outlive the reader.
  reader(pid_t pid, const layout& fields, std::uint64_t globals, managed_frames::function_log& log);

  managed_frames::walk_result walk(const managed_frames::stack_sample& sample,
                                   managed_frames::managed_stack& into) override;
  // As for CPython: frames that are read later belong to another moment than the native stack.
  [[nodiscard]] std::uint64_t longest_age_ns() const noexcept override { return 2'000'000; }

 private:
  struct frame {
    std::uint64_t address = 0;
    std::uint64_t opline = 0;
    std::uint64_t function = 0;
    bool top = false;
  };
  using outcome = process_reading::structure_read;
  outcome follow();
  void put_runs(const managed_frames::stack_sample& sample, managed_frames::managed_stack& into);
  std::vector<std::uint32_t> lines_of(const managed_frames::stack_sample& sample,
                                      std::span<const named_function> functions);

  layout fields_;
  std::uint64_t current_;  // address of the pointer to the innermost frame
  process_reading::process_memory memory_;
  function_table functions_;
  process_reading::page_snapshot pages_;
  std::vector<frame> frames_;  // innermost first
};

}  // namespace stallscope::php_frames
