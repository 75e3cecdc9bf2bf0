#include "load/request_source.hpp"

#include <algorithm>
#include <charconv>

#include "load/arrivals.hpp"

namespace stallscope::load {
namespace {

constexpr std::size_t key_digits = 12;
constexpr std::string_view get_head = "*2\r\n$3\r\nGET\r\n$16\r\nkey:";
constexpr std::string_view set_head = "*3\r\n$3\r\nSET\r\n$16\r\nkey:";

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_key_digits(std::string& out, std::uint64_t key) {
  char digits[key_digits];
  for (std::size_t i = key_digits; i-- != 0; key /= 10) {
    digits[i] = static_cast<char>('0' + key % 10);
  }
  out.append(digits, key_digits);
  out += "\r\n";
}

// Incompressible letters, twice the longest value, so that values differ.
std::string value_letters(std::size_t longest, std::mt19937_64& random) {
  std::string letters(2 * longest + 64, '\0');
  for (char& letter : letters) letter = static_cast<char>('a' + random() % 26);
  return letters;
}

}  // namespace

void append_request(std::string& out, std::initializer_list<std::string_view> words) {
  out += '*';
  append_number(out, words.size());
  out += "\r\n";
  for (const std::string_view word : words) {
    out += '$';
    append_number(out, word.size());
    out += "\r\n";
    out += word;
    out += "\r\n";
  }
}

key_requests::key_requests(const request_mix& mix, std::uint64_t seed)
    : mix_{mix},
      choose_{mix.keys, mix.zipf},
      random_{seed},
      values_{value_letters(mix.max_value_bytes, random_)} {}

void key_requests::append_next(std::string& out) {
  const std::uint64_t key = choose_(random_);
  if (uniform_share(random_) >= mix_.read_share) {
    append_set(out, key);
    return;
  }
  out += get_head;
  append_key_digits(out, key);
}

void key_requests::append_set(std::string& out, std::uint64_t key) {
  const std::uint64_t sizes = mix_.max_value_bytes - mix_.min_value_bytes + 1;
  const std::size_t size = mix_.min_value_bytes + (sizes == 1 ? 0 : random_() % sizes);
  const std::size_t from = random_() % (values_.size() - size);
  out += set_head;
  append_key_digits(out, key);
  out += '$';
  append_number(out, size);
  out += "\r\n";
  out.append(values_, from, size);
  out += "\r\n";
}

fill_requests::fill_requests(const request_mix& mix, std::uint64_t seed, std::uint64_t first,
                             std::uint64_t step)
    : sets_{mix, seed}, next_{first}, step_{step} {}

void fill_requests::append_next(std::string& out) {
  sets_.append_set(out, next_);
  next_ += step_;
}

file_requests::file_requests(std::shared_ptr<const request_file> file, std::size_t first)
    : file_{std::move(file)}, next_{first % file_->size()} {}

void file_requests::append_next(std::string& out) {
  out += file_->request(next_);
  next_ = next_ + 1 == file_->size() ? 0 : next_ + 1;
}

}  // namespace stallscope::load
