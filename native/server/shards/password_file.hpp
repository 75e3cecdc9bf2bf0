// The password that clients have to say, from a file that nobody else can read or change.
#pragma once

#include <string>

namespace stallscope::server {

// The file's first line. Throws std::invalid_argument with what to do where the file is a link, not
// a plain file, another user's, readable by others, empty, or longer than 512 bytes; and
// std::system_error where it cannot be read.
std::string read_password_file(const std::string& path);

}  // namespace stallscope::server
