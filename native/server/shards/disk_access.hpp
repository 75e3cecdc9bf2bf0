// The access of a command to its keys. Any thread; no allocation.
#pragma once

#include "server/commands/command.hpp"

namespace stallscope::server {

struct disk_access {
  bool changes = true;  // it may change its keys
  bool values = true;   // it reads values, not only existence and expiry
};

disk_access access_of(const command& what, request_words words);

}  // namespace stallscope::server
