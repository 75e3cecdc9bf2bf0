#include "resp/reply_writer.hpp"

#include <charconv>
#include <cstring>

namespace stallscope::resp {

namespace {

constexpr std::size_t max_head_bytes = 24;  // type byte, 20 digits, line end

// Writes a header such as "$12\r\n" to `to`, which has room for max_head_bytes. Returns its end.
char* put_head(char* to, char mark, std::int64_t value) {
  *to++ = mark;
  if (value >= 0 && value < 10) {
    *to++ = static_cast<char>('0' + value);
  } else {
    to = std::to_chars(to, to + max_head_bytes - 3, value).ptr;
  }
  *to++ = '\r';
  *to++ = '\n';
  return to;
}

}  // namespace

void reply_writer::number(char mark, std::int64_t value) {
  const auto room = out_->room(max_head_bytes);
  if (room.empty()) return;
  out_->commit(static_cast<std::size_t>(put_head(room.data(), mark, value) - room.data()));
}

void reply_writer::bulk(std::string_view bytes) {
  const auto room = out_->room(bytes.size() + max_head_bytes + 2);
  if (room.empty()) return;
  char* at = put_head(room.data(), '$', static_cast<std::int64_t>(bytes.size()));
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  at += bytes.size();
  *at++ = '\r';
  *at++ = '\n';
  out_->commit(static_cast<std::size_t>(at - room.data()));
}

void reply_writer::simple(std::string_view text) {
  out_->append("+");
  out_->append(text);
  out_->append("\r\n");
}

void reply_writer::error(std::string_view text) {
  const auto room = out_->room(text.size() + 3);
  if (room.empty()) return;
  char* at = room.data();
  *at++ = '-';
  for (const char byte : text) *at++ = byte == '\r' || byte == '\n' ? ' ' : byte;
  *at++ = '\r';
  *at++ = '\n';
  out_->commit(static_cast<std::size_t>(at - room.data()));
}

void reply_writer::map(std::size_t entries) {
  if (version_ == protocol::resp2) {
    array(2 * entries);
  } else {
    number('%', static_cast<std::int64_t>(entries));
  }
}

void reply_writer::set(std::size_t length) {
  number(version_ == protocol::resp2 ? '*' : '~', static_cast<std::int64_t>(length));
}

void reply_writer::verbatim(std::string_view text) {
  if (version_ == protocol::resp2) {
    bulk(text);
    return;
  }
  number('=', static_cast<std::int64_t>(text.size() + 4));
  out_->append("txt:");
  out_->append(text);
  out_->append("\r\n");
}

}  // namespace stallscope::resp
