#include <doctest/doctest.h>
#include <sys/stat.h>

#include <map>

#include "base/failure.hpp"
#include "collect/output_directory.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

TEST_CASE("a new directory is private") {
  const test::scratch folder;
  const output_directory output{folder.at("run"), false};
  struct stat status {};
  REQUIRE(::stat(folder.at("run").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0700U);
}

TEST_CASE("only a committed recording stays") {
  const test::scratch folder;
  for (const bool committed : {false, true}) {
    {
      output_directory output{folder.at("run"), false};
      output.replace("recording.json", "{}");
      output.reserve("recording.json");
      CHECK(output.create("samples.perf"));
      CHECK(folder.read("run/recording.json") == "{}");
      if (committed) output.commit();
    }
    CHECK(std::filesystem::exists(folder.at("run/recording.json")) == committed);
    CHECK(std::filesystem::exists(folder.at("run")) == committed);
  }
}

TEST_CASE("an existing directory stays without the new files if there is no commit") {
  const test::scratch folder;
  std::filesystem::create_directory(folder.at("run"));
  {
    output_directory output{folder.at("run"), false};
    output.replace("recording.json", "{}");
  }
  CHECK(std::filesystem::is_empty(folder.at("run")));
}

TEST_CASE("a directory in use is refused, and force replaces only recordings") {
  const test::scratch folder;
  folder.write("run/mine", "precious");
  CHECK_THROWS_AS(output_directory(folder.at("run"), false), failure);
  CHECK_THROWS_AS(output_directory(folder.at("run"), true), failure);
  folder.write("run/recording.json", "{\"schema\": \"stallscope.recording/1.0\"}");
  folder.write("run/samples.perf", "old");
  folder.write("run/waits.jsonl", "old");
  CHECK_THROWS_AS(output_directory(folder.at("run"), false), failure);
  output_directory output{folder.at("run"), true};
  CHECK_FALSE(std::filesystem::exists(folder.at("run/samples.perf")));
  CHECK(folder.read("run/mine") == "precious");
  output.commit();
  CHECK(std::distance(std::filesystem::directory_iterator{folder.at("run")}, {}) == 1);
}

TEST_CASE("the old recording is restored if the new recording fails") {
  const test::scratch folder;
  const std::string document = "{\"schema\": \"stallscope.recording/1.0\"}";
  folder.write("run/recording.json", document);
  folder.write("run/samples.perf", "old");
  {
    output_directory output{folder.at("run"), true};
    CHECK(output.create("samples.perf"));
    output.replace("recording.json", "{}");
    CHECK(folder.read("run/recording.json") == "{}");
  }
  CHECK(folder.read("run/recording.json") == document);
  CHECK(folder.read("run/samples.perf") == "old");
  CHECK(std::distance(std::filesystem::directory_iterator{folder.at("run")}, {}) == 2);
}

TEST_CASE("a recording whose replacement was killed is restored by the next program") {
  const std::string document = "{\"schema\": \"stallscope.recording/1.0\"}";
  const std::string next = "{\"schema\": \"stallscope.recording/1.1\"}";
  using files = std::map<std::string, std::string>;
  const files old{{"recording.json", document}, {"samples.perf", "old"}};
  const std::vector<std::pair<files, files>> cases{
      // killed while the old files were set aside
      {{{".replaced-recording.json", document}, {"samples.perf", "old"}}, old},
      // killed before commit()
      {{{".replaced-recording.json", document},
        {".replaced-samples.perf", "old"},
        {"recording.json", next},
        {"samples.perf", "new"},
        {"python.jsonl", "new"}},
       old},
      // killed during commit()
      {{{".replaced-samples.perf", "old"}, {"recording.json", next}, {"samples.perf", "new"}},
       {{"recording.json", next}, {"samples.perf", "new"}}}};
  for (const auto& [left, expected] : cases) {
    const test::scratch folder;
    for (const auto& [name, content] : left) folder.write("run/" + name, content);
    CHECK_THROWS_AS(output_directory(folder.at("run"), false), failure);
    files restored;
    for (const auto& entry : std::filesystem::directory_iterator{folder.at("run")}) {
      const auto name = entry.path().filename().string();
      restored[name] = folder.read("run/" + name);
    }
    CHECK(restored == expected);
  }
}

TEST_CASE("a link in the directory is replaced and not followed") {
  const test::scratch folder;
  folder.write("elsewhere", "precious");
  output_directory output{folder.at("run"), false};
  std::filesystem::create_symlink(folder.at("elsewhere"), folder.at("run/samples.perf"));
  std::filesystem::create_symlink(folder.at("elsewhere"), folder.at("run/.recording.json.new"));
  CHECK(output.create("samples.perf"));
  output.replace("recording.json", "{}");
  CHECK(folder.read("elsewhere") == "precious");
  CHECK(std::filesystem::is_regular_file(
      std::filesystem::symlink_status(folder.at("run/samples.perf"))));
}
