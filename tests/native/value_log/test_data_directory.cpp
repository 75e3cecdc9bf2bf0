#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "collect/scratch.hpp"
#include "value_log/data_directory.hpp"
#include "value_log/watched_syncs.hpp"

using namespace stallscope::value_log;
using stallscope::test::scratch;

namespace {

namespace fs = std::filesystem;

std::string refusal_of(const fs::path& path, std::uint32_t shards = 1) {
  try {
    const data_directory made(path, shards);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a directory is created private and stores its identity") {
  const scratch folder;
  const fs::path path = folder.at("data");
  stallscope::store::hash_seed secret{};
  {
    const data_directory made(path, 2);
    secret = made.identity().secret;
    CHECK(made.segments_of(0).empty());
    CHECK(made.create({1, 7}, 65536).bytes == 65536);
    CHECK(made.create({1, 3}, 65536).sound_head);
    CHECK(made.segments_of(1) == std::vector<std::uint32_t>{3, 7});
    CHECK((fs::status(path).permissions() & fs::perms(077)) == fs::perms::none);
  }
  const data_directory again(path, 2);
  CHECK(again.identity().secret == secret);
  const segment_file opened = again.open({1, 3});
  CHECK(opened.sound_head);
  CHECK((::fcntl(opened.file.get(), F_GETFL) & O_NONBLOCK) == 0);  // reads of it may wait
  again.remove({1, 3});
  CHECK(again.segments_of(1) == std::vector<std::uint32_t>{7});
}

TEST_CASE("another number of threads is rejected") {
  const scratch folder;
  static_cast<void>(data_directory(folder.at("data"), 2).create({0, 1}, 65536));
  CHECK(mentions(refusal_of(folder.at("data"), 1), "--threads 2"));
}

TEST_CASE("a directory in use is rejected") {
  const scratch folder;
  const data_directory held(folder.at("data"), 1);
  CHECK(mentions(refusal_of(folder.at("data")), "in use"));
}

TEST_CASE("symbolic links and directories writable by others are rejected") {
  const scratch folder;
  fs::create_directory(folder.at("data"));
  fs::create_directory_symlink(folder.at("data"), folder.at("link"));
  CHECK(mentions(refusal_of(folder.at("link")), "a symbolic link"));
  ::chmod(folder.at("data").c_str(), 0777);
  CHECK(mentions(refusal_of(folder.at("data")), "by other users"));
  folder.write("file", "");
  CHECK(mentions(refusal_of(folder.at("file")), "not a directory"));
}

TEST_CASE("segments that are symbolic links or have two hard links are rejected") {
  const scratch folder;
  const fs::path path = folder.at("data");
  static_cast<void>(data_directory(path, 1).create({0, 1}, 65536));
  fs::create_symlink("/dev/null", path / "shard-000-0000000002.log");
  CHECK(mentions(refusal_of(path), "is a symbolic link"));
  fs::remove(path / "shard-000-0000000002.log");
  fs::create_hard_link(path / "shard-000-0000000001.log", path / "other");
  CHECK(mentions(refusal_of(path), "more than one hard link"));
  fs::remove(path / "other");
  fs::create_directory(path / "shard-000-0000000005.log");
  CHECK_THROWS(data_directory(path, 1));
}

TEST_CASE("segments of two stores or of an unknown store are rejected") {
  const scratch folder;
  static_cast<void>(data_directory(folder.at("one"), 1).create({0, 1}, 65536));
  static_cast<void>(data_directory(folder.at("two"), 1).create({0, 2}, 65536));
  fs::copy_file(folder.at("two/shard-000-0000000002.log"),
                folder.at("one/shard-000-0000000002.log"));
  CHECK(mentions(refusal_of(folder.at("one")), "two stores"));
  std::ofstream(folder.at("two/shard-000-0000000002.log"), std::ios::binary)
      << std::string(20'000, 'x');
  CHECK(mentions(refusal_of(folder.at("two")), "damaged"));
}

TEST_CASE("a renamed segment is rejected") {
  const scratch folder;
  const fs::path path = folder.at("data");
  {
    const data_directory made(path, 2);
    static_cast<void>(made.create({0, 1}, 65536));
    static_cast<void>(made.create({1, 1}, 65536));
  }
  fs::rename(path / "shard-001-0000000001.log", path / "shard-000-0000000002.log");
  const std::string message = refusal_of(path, 2);
  CHECK(mentions(message,
                 "holds shard-000-0000000002.log, which was written as "
                 "shard-001-0000000001.log: rename it back or move it elsewhere"));
  fs::rename(path / "shard-000-0000000002.log", path / "shard-001-0000000002.log");
  CHECK(mentions(refusal_of(path, 2), "was written as shard-001-0000000001.log"));
  fs::rename(path / "shard-001-0000000002.log", path / "shard-001-0000000001.log");
  CHECK(refusal_of(path, 2).empty());
}

TEST_CASE("the names of a directory and its segments are durable") {
  const scratch folder;
  const watched_syncs syncs;
  const data_directory made(folder.at("data"), 1);
  CHECK(syncs.of() == std::vector<std::string>{folder.at("data").parent_path()});
  static_cast<void>(made.create({0, 1}, 65536));
  REQUIRE(syncs.of().size() == 2);
  CHECK(syncs.of()[1] == folder.at("data"));
}

TEST_CASE("a segment whose name is not durable is not used") {
  const scratch folder;
  const data_directory made(folder.at("data"), 1);
  const watched_syncs failing(EIO);
  CHECK_THROWS_WITH_AS(static_cast<void>(made.create({0, 1}, 65536)),
                       "shard-000-0000000001.log: Input/output error", std::system_error);
  CHECK(fs::is_empty(folder.at("data")));
}

TEST_CASE("without a directory, files are unnamed") {
  const data_directory made("", 1);
  CHECK(made.temporary());
  const segment_file file = made.create({0, 1}, 65536);
  struct stat status {};
  REQUIRE(::fstat(file.file.get(), &status) == 0);
  CHECK(status.st_nlink == 0);
  CHECK(status.st_size == 65536);
}
