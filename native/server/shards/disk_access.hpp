// What a command needs of its keys before it can run. Any thread.
#pragma once

#include "server/commands/command.hpp"

namespace stallscope::server {

struct disk_access {
  bool changes = true;  // it may change its keys
  bool values = true;   // it looks at their values, not only at whether and until when they are
};

disk_access access_of(const command& what, request_words words);

}  // namespace stallscope::server
