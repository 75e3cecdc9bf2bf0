#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "server/shards/buffer_pool.hpp"
#include "server/shards/client_list.hpp"
#include "server/shards/listening.hpp"
#include "server/shards/password_file.hpp"

namespace {

using namespace stallscope::server;

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "server-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~temporary_folder() { std::filesystem::remove_all(path_); }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name, const std::string& text,
                                 mode_t mode) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("the password is the first line of a private file") {
  const temporary_folder folder;
  CHECK(read_password_file(folder.file("good", "a secret\nmore\n", 0600)) == "a secret");
  CHECK(read_password_file(folder.file("no end", "secret", 0400)) == "secret");
  CHECK_THROWS_AS(read_password_file(folder.file("open", "secret\n", 0604)), std::invalid_argument);
  CHECK_THROWS_AS(read_password_file(folder.file("none", "\nsecret\n", 0600)),
                  std::invalid_argument);
  CHECK_THROWS_AS(read_password_file(folder.file("long", std::string(513, 'x'), 0600)),
                  std::invalid_argument);
  CHECK_THROWS_AS(read_password_file("/nonexistent/file"), std::system_error);
}

TEST_CASE("loopback addresses are recognized") {
  for (const char* address : {"127.0.0.1", "127.8.9.10", "::1", "localhost"}) {
    CHECK(is_loopback(address));
  }
  for (const char* address : {"0.0.0.0", "128.0.0.1", "::", "fe80::1", "::ffff:127.0.0.1"}) {
    CHECK(!is_loopback(address));
  }
  for (const char* address : {"", "example.org", "127.0.0.1 ", "127.1", "1.2.3.4.5"}) {
    CHECK_THROWS_AS(is_loopback(address), std::invalid_argument);
  }
}

TEST_CASE("a pool keeps a limited number of small buffers") {
  buffer_pool pool(1 << 20);
  auto small = pool.take();
  small->append("bytes");
  small->consume(5);
  const auto* kept = small.get();
  pool.give_back(std::move(small));
  CHECK(pool.take().get() == kept);
  auto large = pool.take();
  REQUIRE(!large->room(buffer_pool::kept_bytes + 1).empty());
  const auto* grown = large.get();
  auto other = pool.take();
  pool.give_back(std::move(other));
  pool.give_back(std::move(large));
  CHECK(pool.take().get() != grown);
}

TEST_CASE("clients are listed by id, with their latest state") {
  client_list clients;
  session client;
  client.id = 7;
  clients.add(client, "127.0.0.1:5");
  session other;
  other.id = 3;
  clients.add(other, "unix");
  client.name = "tester";
  clients.update(client);
  const std::string lines = clients.lines();
  CHECK(lines.starts_with("id=3 addr=unix name= age="));
  CHECK(lines.find("\nid=7 addr=127.0.0.1:5 name=tester age=") != std::string::npos);
  CHECK(clients.line(7).starts_with("id=7 "));
  clients.remove(7);
  CHECK(clients.line(7).empty());
  clients.update(client);
  CHECK(clients.line(7).empty());
}
