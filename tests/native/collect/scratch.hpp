// A directory for one test, removed at its end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace stallscope::test {

class scratch {
 public:
  scratch() {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  scratch(scratch&&) = delete;
  scratch& operator=(scratch&&) = delete;
  ~scratch() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::filesystem::path at(const std::string& name) const {
    return std::filesystem::path{path_} / name;
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(at(name).parent_path());
    std::ofstream{at(name), std::ios::binary} << content;
    return at(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream{at(name), std::ios::binary}.rdbuf();
    return text.str();
  }

 private:
  std::string path_ = "/tmp/stallscope-test-XXXXXX";
};

}  // namespace stallscope::test
