// Examines a process for runtimes whose frames can be read, and reports them as a JSON document
// (stallscope.runtimes/1). Costs reads of its mapped files and of some memory; the files may block
// the caller. Any thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/procfs.hpp"

namespace stallscope::collect {

std::string probe_runtimes(const procfs& proc, pid_t pid);

}  // namespace stallscope::collect
