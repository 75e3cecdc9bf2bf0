// Reads the password of the server from a file that only its owner can access.
#pragma once

#include <string>

namespace stallscope::server {

// Returns the first line. Throws std::invalid_argument with a remedy if the file is a symbolic
// link, not a regular file, owned by another user, accessible by others, empty, or longer than 512
// bytes; throws std::system_error if it cannot be read.
std::string read_password_file(const std::string& path);

}  // namespace stallscope::server
