// Writes the records that come first in samples.perf: attributes, host, kernel map. Reads
// /proc/kallsyms, about 30 ms. One thread.
//
//   put_recording_header(header, facts, attributes, nullptr);
#pragma once

#include <span>

#include "collect/cpu_wide_events.hpp"
#include "collect/event_table.hpp"
#include "collect/record_buffer.hpp"
#include "collect/recording_document.hpp"

namespace stallscope::collect {

// `events` is null if there is a single event, whose samples need no id; `cpu_wide` is null without
// events of whole CPUs. Adds a warning to the
// facts if the kernel's addresses are hidden.
void put_recording_header(record_buffer& out, recording_facts& facts,
                          std::span<const perf_event_attr> attributes, const event_table* events,
                          const cpu_wide_events* cpu_wide = nullptr);

}  // namespace stallscope::collect
