// perf's record of tracepoint formats, which names the fields of raw tracepoint samples. Pure
// computation. Any thread.
//
//   put_tracing_data(header, plan.formats);
//
// Source: tools/perf/util/trace-event-read.c of the Linux tree, version 0.6 of the format.
#pragma once

#include "collect/record_buffer.hpp"
#include "collect/wait_events.hpp"

namespace stallscope::collect {

// Appends nothing without tracepoints.
void put_tracing_data(record_buffer& out, const trace_formats& formats);

}  // namespace stallscope::collect
