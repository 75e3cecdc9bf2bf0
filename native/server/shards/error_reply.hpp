// The reply to a request whose work has thrown. Any thread.
//
//   append_error(std::current_exception(), client.output());
#pragma once

#include <exception>

#include "resp/byte_buffer.hpp"

namespace stallscope::server {

// Throws std::bad_alloc if the buffer cannot grow.
void append_error(const std::exception_ptr& thrown, resp::byte_buffer& out);

}  // namespace stallscope::server
