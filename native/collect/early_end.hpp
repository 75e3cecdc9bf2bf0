// The end of a recording, of samples or counters, that a failed call ends early. Any thread.
#pragma once

#include <string>
#include <system_error>

#include "base/failure.hpp"

namespace stallscope::collect {

struct early_end {
  std::string reason;  // in recording.json
  failure error;
};

// `what` names the work: "the recording". Its data are readable up to this point.
early_end early_end_of(const std::system_error& error, const std::string& what);

// The failure of a recording that has written nothing yet.
failure failed_start(const std::system_error& error);

}  // namespace stallscope::collect
