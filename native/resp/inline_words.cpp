#include "resp/inline_words.hpp"

#include <cstddef>

namespace stallscope::resp {

namespace {

// isspace() of the C locale.
bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Bytes that end an unquoted word. Fewer than above: redis keeps vertical tabs and form feeds.
bool ends_word(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

int hex_digit(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  const char lower = static_cast<char>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

char control_of(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return letter;
  }
}

class line_splitter {
 public:
  explicit line_splitter(std::span<char> line) : line_(line) {}

  void skip_space() {
    while (read_ < line_.size() && is_space(line_[read_])) ++read_;
  }
  bool at_end() const { return read_ == line_.size(); }

  // Reads the word at the current position. Returns false if its quotes are not balanced.
  bool take_word(std::string_view& word) {
    const std::size_t start = write_ = read_;
    while (!at_end() && !ends_word(line_[read_])) {
      const char byte = line_[read_++];
      if (byte == '"' || byte == '\'') {
        if (!(byte == '"' ? take_double_quoted() : take_single_quoted())) return false;
        break;  // a closing quote ends the word
      }
      line_[write_++] = byte;
    }
    word = {line_.data() + start, write_ - start};
    return true;
  }

 private:
  bool closed_well() const { return at_end() || is_space(line_[read_]); }

  bool take_double_quoted() {
    while (!at_end()) {
      const char byte = line_[read_++];
      if (byte == '"') return closed_well();
      line_[write_++] = byte == '\\' && !at_end() ? take_escaped() : byte;
    }
    return false;
  }

  char take_escaped() {
    if (line_[read_] == 'x' && line_.size() - read_ >= 3) {
      const int high = hex_digit(line_[read_ + 1]);
      const int low = hex_digit(line_[read_ + 2]);
      if (high >= 0 && low >= 0) {
        read_ += 3;
        return static_cast<char>(high * 16 + low);
      }
    }
    return control_of(line_[read_++]);
  }

  bool take_single_quoted() {
    while (!at_end()) {
      char byte = line_[read_++];
      if (byte == '\'') return closed_well();
      if (byte == '\\' && !at_end() && line_[read_] == '\'') byte = line_[read_++];
      line_[write_++] = byte;
    }
    return false;
  }

  std::span<char> line_;
  std::size_t read_ = 0;
  std::size_t write_ = 0;
};

}  // namespace

bool split_inline(std::span<char> line, std::vector<std::string_view>& words) {
  words.clear();
  line_splitter splitter(line);
  for (splitter.skip_space(); !splitter.at_end(); splitter.skip_space()) {
    std::string_view word;
    if (!splitter.take_word(word)) return false;
    words.push_back(word);
  }
  return true;
}

}  // namespace stallscope::resp
