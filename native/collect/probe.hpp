// Opens each kind of event as this user on this machine and reports the results as a JSON document
// (stallscope.probe/1). All events are closed again. Costs some 20 system calls. Any thread.
#pragma once

#include <string>

namespace stallscope::collect {

std::string probe_machine();

}  // namespace stallscope::collect
