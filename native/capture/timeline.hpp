// The second pass over a capture: in time order, every sample is resolved with the mappings at its
// time, and its copied stack is unwound. One thread.
#pragma once

#include "capture/copied_stacks.hpp"
#include "capture/raw_stacks.hpp"
#include "capture/read_capture.hpp"
#include "capture/sideband.hpp"
#include "capture/thread_table.hpp"
#include "capture/wait_records.hpp"

namespace stallscope::capture {

struct first_pass {
  first_pass(byte_source& source, memory_budget& budget, const read_options& options)
      : threads(budget),
        raw(budget),
        side(budget),
        copies(source, budget, options),
        waits(budget) {}
  thread_table threads;
  raw_stacks raw;
  sideband side;
  copied_stacks copies;
  wait_records waits;
};

// Sorts the samples, resolves their raw stacks and fills in threads and objects.
void resolve_in_time_order(first_pass& parsed, capture_content& into, memory_budget& budget,
                           const read_options& options);

}  // namespace stallscope::capture
