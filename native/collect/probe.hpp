// Opens each kind of event as this user on this machine and tells what works, as one JSON document
// (stallscope.probe/1). Nothing is left open.
#pragma once

#include <string>

namespace stallscope::collect {

std::string probe_machine();

}  // namespace stallscope::collect
