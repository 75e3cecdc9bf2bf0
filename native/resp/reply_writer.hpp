// Writes replies of the Redis protocol to the end of a buffer, in the version of the client: RESP2,
// where maps are flat arrays and null is a bulk string of length -1, or RESP3.
//
//     byte_buffer out;
//     reply_writer reply(out, protocol::resp3);
//     reply.array(2);
//     reply.bulk("name");
//     reply.integer(17);
//
// Cost: a copy of the bytes; no allocation while the buffer has room. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "resp/byte_buffer.hpp"

namespace stallscope::resp {

enum class protocol : std::uint8_t { resp2 = 2, resp3 = 3 };

class reply_writer {
 public:
  explicit reply_writer(byte_buffer& out, protocol version = protocol::resp2)
      : out_(&out), version_(version) {}

  protocol version() const { return version_; }
  void set_version(protocol version) { version_ = version; }

  void ok() { out_->append("+OK\r\n"); }
  void simple(std::string_view text);
  // `text` starts with the error code: "ERR no such key". Line ends within it become spaces.
  void error(std::string_view text);
  void integer(std::int64_t value) { number(':', value); }
  void bulk(std::string_view bytes);
  void null() { out_->append(version_ == protocol::resp2 ? "$-1\r\n" : "_\r\n"); }
  // Headers: `length` replies follow (two per map entry).
  void array(std::size_t length) { number('*', static_cast<std::int64_t>(length)); }
  void map(std::size_t entries);
  void set(std::size_t length);
  // Human-readable text: plain in RESP2, verbatim "txt" in RESP3.
  void verbatim(std::string_view text);
  // Appends replies that another writer of the same version made.
  void raw(std::string_view replies) { out_->append(replies); }

  // Bytes in the buffer; with cut_back(), a caller can undo a partial reply.
  std::size_t size() const { return out_->size(); }
  void cut_back(std::size_t bytes) { out_->cut_back(bytes); }

 private:
  void number(char mark, std::int64_t value);

  byte_buffer* out_;
  protocol version_;
};

}  // namespace stallscope::resp
