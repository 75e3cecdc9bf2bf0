// Writes the lines of runtimes.jsonl, format stallscope.managed-frames/1.2, in ASCII. Names are
// untrusted text. Linear in the size of the text. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "managed_frames/function_log.hpp"
#include "managed_frames/managed_stack.hpp"
#include "managed_frames/runtime_reader.hpp"

namespace stallscope::managed_frames {

void put_header(std::string& out);
// A reader or a refusal of a process's runtime.
void put_runtime(std::string& out, pid_t pid, std::string_view name,
                 const runtime_detection& detection);
void put_function(std::string& out, std::uint64_t id, pid_t pid, const function_facts& facts);
void put_stack(std::string& out, std::uint64_t id, std::span<const managed_frame> frames);
// `stacks` are the ids of the segments' stacks, then those of the runs.
void put_sample(std::string& out, const stack_sample& sample, const managed_stack& walked,
                std::span<const std::uint64_t> stacks);
void put_failure(std::string& out, const stack_sample& sample, walk_result result);

}  // namespace stallscope::managed_frames
