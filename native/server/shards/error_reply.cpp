#include "server/shards/error_reply.hpp"

#include <new>
#include <string>

#include "resp/reply_writer.hpp"

namespace stallscope::server {

void append_error(const std::exception_ptr& thrown, resp::byte_buffer& out) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    resp::reply_writer(out).error("OOM the system has no memory for this");
  } catch (const std::exception& error) {
    resp::reply_writer(out).error(std::string("ERR ") + error.what());
  } catch (...) {
    resp::reply_writer(out).error("ERR the request could not be answered");
  }
}

}  // namespace stallscope::server
