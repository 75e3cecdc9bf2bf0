// The counters of the server in the Prometheus text format (version 0.0.4). Any thread.
#pragma once

#include <string>

namespace stallscope::server {

class shared_server;

std::string metrics_text(const shared_server& server);

}  // namespace stallscope::server
