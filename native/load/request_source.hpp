// Generates requests into the output buffer of a connection: GET and SET of chosen keys, SET of
// every key once, or the requests of a file in turn.
//
//     std::string out;
//     key_requests source(mix, seed);
//     source.append_next(out);
//
// Cost: about 30 ns per GET, plus the copy of a value. One thread; several threads may share the
// contents of a file.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "load/key_choice.hpp"
#include "load/options.hpp"

namespace stallscope::load {

class request_source {
 public:
  virtual ~request_source() = default;
  virtual void append_next(std::string& out) = 0;
};

class key_requests : public request_source {
 public:
  key_requests(const request_mix& mix, std::uint64_t seed);
  void append_next(std::string& out) override;
  void append_set(std::string& out, std::uint64_t key);

 private:
  request_mix mix_;
  key_choice choose_;
  std::mt19937_64 random_;
  std::string values_;  // values are substrings of it
};

// SET of every `step`-th key from `first` on, once.
class fill_requests : public request_source {
 public:
  fill_requests(const request_mix& mix, std::uint64_t seed, std::uint64_t first,
                std::uint64_t step);
  void append_next(std::string& out) override;

 private:
  key_requests sets_;
  std::uint64_t next_;
  std::uint64_t step_;
};

// A file of requests: RESP arrays of bulk strings.
class request_file {
 public:
  static constexpr std::size_t largest_bytes = std::size_t{1} << 30U;

  // Throws failure (usage) with the offset if the file contains anything else or nothing.
  explicit request_file(const std::string& path);
  static request_file of_content(std::string content, const std::string& name);

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view request(std::size_t index) const noexcept;

 private:
  request_file() = default;
  std::string content_;
  std::vector<std::size_t> ends_;
};

class file_requests : public request_source {
 public:
  file_requests(std::shared_ptr<const request_file> file, std::size_t first);
  void append_next(std::string& out) override;

 private:
  std::shared_ptr<const request_file> file_;
  std::size_t next_;
};

// Appends an array of bulk strings.
void append_request(std::string& out, std::initializer_list<std::string_view> words);

}  // namespace stallscope::load
