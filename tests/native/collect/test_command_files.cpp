#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "collect/command_files.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

std::string path_in(const test::scratch& folder, const std::string& name) {
  return folder.at(name).string();
}

std::string executable(const test::scratch& folder, const std::string& name,
                       const std::string& content) {
  folder.write(name, content);
  ::chmod(path_in(folder, name).c_str(), 0755);
  return path_in(folder, name);
}

std::string path_of_command(const std::vector<std::string>& words, const std::string& search_path) {
  const auto files = files_of_command(words, search_path);
  return files.empty() ? "" : files.front().path;
}

}  // namespace

TEST_CASE("the executable is located as by execvp") {
  const test::scratch folder;
  folder.write("first/tool", "not to be executed");
  const auto tool = executable(folder, "second/tool", "a program");
  const auto search = path_in(folder, "first") + ":" + path_in(folder, "second");
  CHECK(path_of_command({"tool"}, search) == tool);
  CHECK(path_of_command({tool}, "") == tool);
  CHECK(path_of_command({"tool"}, path_in(folder, "first")).empty());
  CHECK(path_of_command({path_in(folder, "nothing")}, search).empty());
  CHECK(path_of_command({}, search).empty());
  CHECK(path_of_command({path_in(folder, "second")}, "").empty());  // a directory
}

TEST_CASE("the interpreters of scripts are followed, through env too, up to a limit") {
  const test::scratch folder;
  const auto shell = executable(folder, "bin/shell", "a program");
  executable(folder, "bin/env", "a program");
  const auto script = executable(folder, "script", "#! " + shell + " -e\nexit\n");
  const auto by_env =
      executable(folder, "by_env", "#!" + path_in(folder, "bin/env") + " -S A=1 shell -x\n");
  const auto loop = executable(folder, "loop", "#!" + path_in(folder, "loop") + "\n");
  CHECK(path_of_command({script}, "") == shell);
  CHECK(path_of_command({by_env}, path_in(folder, "bin")) == path_in(folder, "bin") + "/shell");
  CHECK(path_of_command({loop}, "").empty());
  CHECK(path_of_command({executable(folder, "empty", "#!\n")}, "") == path_in(folder, "empty"));
}

TEST_CASE("a program's libraries and their libraries are listed") {
  const auto files = files_of_command({"/proc/self/exe"}, "");
  REQUIRE_FALSE(files.empty());
  CHECK(files.front().executable);
  const auto named = [&files](const std::string& part) {
    return std::any_of(files.begin() + 1, files.end(), [&part](const command_file& file) {
      return file.path.find(part) != std::string::npos && !file.executable;
    });
  };
  CHECK(named("/libstdc++.so"));
  CHECK(named("/libc.so"));
}

TEST_CASE("a truncated file or a file that is not ELF needs no libraries") {
  const test::scratch folder;
  const descriptor self{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  CHECK_FALSE(needed_libraries(self).empty());
  std::string start(4096, '\0');
  REQUIRE(::pread(self.get(), start.data(), start.size(), 0) == 4096);
  for (const std::size_t length : {0U, 3U, 63U, 64U, 100U, 4096U}) {
    folder.write("cut", start.substr(0, length));
    const descriptor cut{::open(path_in(folder, "cut").c_str(), O_RDONLY | O_CLOEXEC)};
    CHECK(needed_libraries(cut).empty());
  }
}
