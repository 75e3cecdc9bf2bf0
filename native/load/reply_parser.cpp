#include "load/reply_parser.hpp"

#include <algorithm>

namespace stallscope::load {
namespace {

constexpr unsigned max_digits = 18;

}  // namespace

std::size_t reply_parser::consume(std::string_view bytes) {
  if (state_ == state::complete || state_ == state::failed) begin();
  std::size_t at = 0;
  while (at < bytes.size()) {
    switch (state_) {
      case state::type:
        read_type(bytes[at++]);
        break;
      case state::line:
        at += read_line(bytes.substr(at));
        break;
      case state::number:
        at += read_number(bytes.substr(at));
        break;
      case state::bulk:
        at += read_bulk(bytes.substr(at));
        break;
      case state::bulk_end:
        read_bulk_end(bytes[at++]);
        break;
      case state::complete:
      case state::failed:
        return at;
    }
  }
  return at;
}

void reply_parser::begin() noexcept {
  state_ = state::type;
  begun_ = false;
  top_type_ = 0;
  nil_ = false;
  depth_ = 0;
  elements_ = 0;
  text_size_ = 0;
}

void reply_parser::read_type(char type) noexcept {
  type_ = type;
  if (!begun_) top_type_ = type;
  begun_ = true;
  left_ = 0;
  number_ = 0;
  digits_ = 0;
  negative_ = false;
  return_seen_ = false;
  static constexpr std::string_view lines = "+-:,#(_";
  static constexpr std::string_view counted = "$=!*~%>";
  if (lines.find(type) != std::string_view::npos) {
    state_ = state::line;
  } else {
    state_ = counted.find(type) != std::string_view::npos ? state::number : state::failed;
  }
}

std::size_t reply_parser::read_line(std::string_view bytes) noexcept {
  const std::size_t end = bytes.find('\n');
  const std::size_t size = std::min(end, bytes.size());
  left_ += size;
  if (left_ > longest_line) {
    state_ = state::failed;
    return size;
  }
  if (size != 0) {
    if (depth_ == 0) keep(bytes.substr(0, size));
    return_seen_ = bytes[size - 1] == '\r';
  }
  if (end == std::string_view::npos) return size;
  if (!return_seen_) {
    state_ = state::failed;
    return size + 1;
  }
  if (depth_ == 0) {
    if (text_size_ == left_) --text_size_;  // without the carriage return
    nil_ = type_ == '_';
  }
  element_done();
  return size + 1;
}

std::size_t reply_parser::read_number(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[i];
    if (return_seen_) {
      state_ = state::failed;
      if (byte == '\n' && digits_ != 0) length_known();
      return i + 1;
    }
    if (byte >= '0' && byte <= '9' && digits_ < max_digits) {
      number_ = number_ * 10 + static_cast<unsigned>(byte - '0');
      ++digits_;
    } else if (byte == '-' && digits_ == 0 && !negative_) {
      negative_ = true;
    } else if (byte == '\r') {
      return_seen_ = true;
    } else {
      state_ = state::failed;
      return i + 1;
    }
  }
  return bytes.size();
}

// The length of a bulk string or aggregate was read; sets `failed` if it is out of bounds.
void reply_parser::length_known() noexcept {
  const bool is_bulk = type_ == '$' || type_ == '=' || type_ == '!';
  if (negative_) {
    if (number_ != 1 || (type_ != '$' && type_ != '*')) return;
    if (depth_ == 0) nil_ = true;
    element_done();
  } else if (is_bulk) {
    if (number_ > longest_bulk) return;
    left_ = number_;
    return_seen_ = false;
    state_ = left_ == 0 ? state::bulk_end : state::bulk;
  } else {
    const std::uint64_t count = type_ == '%' ? 2 * number_ : number_;
    if (number_ > max_elements || elements_ + count > max_elements) return;
    elements_ += count;
    if (count != 0) {
      if (depth_ == deepest) return;
      open_[depth_++] = count;
      state_ = state::type;
    } else {
      element_done();
    }
  }
}

std::size_t reply_parser::read_bulk(std::string_view bytes) noexcept {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  if (depth_ == 0) keep(bytes.substr(0, size));
  left_ -= size;
  if (left_ == 0) state_ = state::bulk_end;
  return size;
}

void reply_parser::read_bulk_end(char byte) noexcept {
  if (!return_seen_ && byte == '\r') {
    return_seen_ = true;
  } else if (return_seen_ && byte == '\n') {
    element_done();
  } else {
    state_ = state::failed;
  }
}

void reply_parser::element_done() noexcept {
  while (depth_ != 0 && --open_[depth_ - 1] == 0) --depth_;
  state_ = depth_ != 0 ? state::type : state::complete;
  if (state_ == state::complete && top_type_ == '>') begin();  // push message
}

void reply_parser::keep(std::string_view bytes) noexcept {
  const std::size_t size = std::min(bytes.size(), max_text - text_size_);
  std::copy_n(bytes.begin(), size, text_.begin() + static_cast<std::ptrdiff_t>(text_size_));
  text_size_ += size;
}

}  // namespace stallscope::load
