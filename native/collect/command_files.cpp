#include "collect/command_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

namespace stallscope::collect {
namespace {

constexpr int max_interpreters = 4;
constexpr std::size_t max_files = 64;
constexpr std::string_view default_search_path =
    "/bin:/usr/bin";  // execvp's, where PATH is not set

#ifdef __aarch64__
constexpr const char* triplet = "aarch64-linux-gnu";
#else
constexpr const char* triplet = "x86_64-linux-gnu";
#endif

descriptor open_regular(const std::string& path) {
  descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return file;
}

std::string executable_path(const std::string& name, std::string_view search_path) {
  if (name.find('/') != std::string::npos) return name;
  std::istringstream folders{std::string{search_path.empty() ? default_search_path : search_path}};
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = (folder.empty() ? std::string{"."} : folder) + "/" + name;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0)
      return path;
  }
  return {};
}

// Returns the words after #! in a script: the interpreter and its arguments.
std::vector<std::string> interpreter_of(const descriptor& file) {
  std::array<char, 256> start{};  // as long as the kernel reads
  const auto got = ::pread(file.get(), start.data(), start.size(), 0);
  const std::string_view text{start.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got))};
  std::vector<std::string> words;
  if (!text.starts_with("#!")) return words;
  std::istringstream line{std::string{text.substr(2, text.find('\n') - 2)}};
  for (std::string word; line >> word;) words.push_back(word);
  // env's options and variables come before the interpreter's name.
  if (words.empty() || !words.front().ends_with("/env")) return words;
  const auto interpreter =
      std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
        return !word.starts_with('-') && word.find('=') == std::string::npos;
      });
  return {interpreter, words.end()};
}

std::optional<command_file> find_library(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::nullopt;
  static const std::array folders{std::string{"/lib/"} + triplet,
                                  std::string{"/usr/lib/"} + triplet,
                                  std::string{"/lib64"},
                                  std::string{"/usr/lib64"},
                                  std::string{"/lib"},
                                  std::string{"/usr/lib"},
                                  std::string{"/usr/local/lib"}};
  for (const auto& folder : folders) {
    const std::string path = std::string{folder}.append("/").append(name);
    if (auto file = open_regular(path)) return command_file{path, std::move(file), false};
  }
  return std::nullopt;
}

}  // namespace

std::vector<command_file> files_of_command(const std::vector<std::string>& words,
                                           std::string_view search_path) {
  std::vector<command_file> files;
  std::string name = words.empty() ? "" : words.front();
  for (int depth = 0; depth <= max_interpreters && !name.empty(); ++depth) {
    const auto path = executable_path(name, search_path);
    auto file = open_regular(path);
    if (!file) return files;
    const auto interpreter = interpreter_of(file);
    if (interpreter.empty()) {
      files.push_back({path, std::move(file), true});
      break;
    }
    name = interpreter.front();
  }
  std::set<std::string> known;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const auto& library : needed_libraries(files[i].file)) {
      if (files.size() >= max_files || !known.insert(library).second) continue;
      if (auto file = find_library(library)) files.push_back(std::move(*file));
    }
  }
  return files;
}

}  // namespace stallscope::collect
