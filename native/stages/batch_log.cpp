#include "stages/batch_log.hpp"

#include <charconv>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace stallscope::stages {
namespace {

constexpr std::string_view format_name = "stallscope.batches/1";
constexpr std::size_t max_stages = 4096;

[[noreturn]] void refuse(std::size_t line, const std::string& why) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + why);
}

std::vector<std::string> read_names(std::istream& in) {
  std::string line;
  std::getline(in, line);
  std::istringstream words(line);
  std::string word;
  if (!(words >> word) || word != format_name) {
    refuse(1, "not a file of batches (" + std::string(format_name) + ")");
  }
  std::vector<std::string> names;
  while (words >> word) {
    names.push_back(word);
  }
  if (names.empty() || names.size() > max_stages) {
    refuse(1, "expected the names of the stages");
  }
  return names;
}

bool read_number(std::string_view& text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{};
}

batch read_batch(std::string_view text, std::size_t stages, std::size_t line) {
  batch read{};
  if (!read_number(text, read.stage) || !text.starts_with(' ')) {
    refuse(line, "expected two numbers: stage and calls");
  }
  text.remove_prefix(1);
  if (!read_number(text, read.calls) || !text.empty()) {
    refuse(line, "expected two numbers: stage and calls");
  }
  if (read.stage >= stages || read.calls == 0) {
    refuse(line, "unknown stage, or a batch without calls");
  }
  return read;
}

}  // namespace

std::vector<batch> batch_log::recorded() const {
  const auto middle = batches_.begin() + static_cast<std::ptrdiff_t>(next_);
  std::vector<batch> ordered;
  if (full_) {
    ordered.assign(middle, batches_.end());
  }
  ordered.insert(ordered.end(), batches_.begin(), middle);
  return ordered;
}

void write_batches(std::ostream& out, const batch_file& file) {
  out << format_name;
  for (const auto& name : file.stages) {
    out << ' ' << name;
  }
  out << '\n';
  for (const auto& written : file.batches) {
    out << written.stage << ' ' << written.calls << '\n';
  }
}

batch_file read_batches(std::istream& in, std::size_t max_batches) {
  batch_file file;
  file.stages = read_names(in);
  std::string line;
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (file.batches.size() == max_batches) {
      refuse(number, "more than " + std::to_string(max_batches) + " batches");
    }
    file.batches.push_back(read_batch(line, file.stages.size(), number));
  }
  return file;
}

}  // namespace stallscope::stages
