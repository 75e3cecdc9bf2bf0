#include "base/output_directory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/failure.hpp"
#include "collect/scratch.hpp"

using namespace stallscope;
namespace fs = std::filesystem;

namespace {

constexpr uid_t another_user = 12345;

std::string refusal_of(const fs::path& path) {
  try {
    static_cast<void>(make_output_directory(path));
    return "";
  } catch (const failure& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a missing output directory is created for this user only") {
  const test::scratch folder;
  const auto made = make_output_directory(folder.at("run"));
  CHECK(made.created);
  struct stat status {};
  REQUIRE(::fstat(made.directory.get(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0700);
  CHECK_FALSE(make_output_directory(folder.at("run/")).created);
}

TEST_CASE("an output directory that is a symbolic link is refused") {
  const test::scratch folder;
  fs::create_directory(folder.at("target"));
  fs::create_directory_symlink(folder.at("target"), folder.at("link"));
  CHECK(contains(refusal_of(folder.at("link")), "symbolic link"));
}

TEST_CASE("an output directory that all users may write to is refused") {
  const test::scratch folder;
  fs::create_directory(folder.at("run"));
  REQUIRE(::chmod(folder.at("run").c_str(), 01777) == 0);
  CHECK(contains(refusal_of(folder.at("run")), "all users may write"));
}

TEST_CASE("root writes neither into another user's directory nor through its links") {
  if (::geteuid() != 0) return;
  const test::scratch folder;
  fs::create_directories(folder.at("theirs"));
  fs::create_directories(folder.at("mine"));
  REQUIRE(::chown(folder.at("theirs").c_str(), another_user, another_user) == 0);
  CHECK(contains(refusal_of(folder.at("theirs/run")), "belongs to the user 12345"));
  CHECK_FALSE(fs::exists(folder.at("theirs/run")));
  CHECK(contains(refusal_of(folder.at("theirs")), "belongs to the user 12345"));

  fs::create_directory_symlink("mine", folder.at("own-link"));
  fs::create_directory_symlink("mine", folder.at("their-link"));
  REQUIRE(::lchown(folder.at("their-link").c_str(), another_user, another_user) == 0);
  CHECK(refusal_of(folder.at("own-link/run")).empty());
  CHECK(contains(refusal_of(folder.at("their-link/other")), "belongs to the user 12345"));

  REQUIRE(::chmod(folder.at("mine").c_str(), 0777) == 0);
  CHECK(contains(refusal_of(folder.at("mine/new")), "not sticky"));
  REQUIRE(::chmod(folder.at("mine").c_str(), 01777) == 0);
  CHECK(refusal_of(folder.at("mine/new")).empty());
  REQUIRE(::chmod(folder.at("mine").c_str(), 0775) == 0);
  REQUIRE(::chown(folder.at("mine").c_str(), 0, another_user) == 0);
  CHECK(contains(refusal_of(folder.at("mine/newer")), "group 12345"));
}

TEST_CASE("the user who started sudo is trusted") {
  if (::geteuid() != 0) return;
  const test::scratch folder;
  fs::create_directories(folder.at("theirs"));
  REQUIRE(::chown(folder.at("theirs").c_str(), another_user, another_user) == 0);
  ::setenv("SUDO_UID", "12345", 1);
  CHECK(refusal_of(folder.at("theirs/run")).empty());
  ::unsetenv("SUDO_UID");
}
