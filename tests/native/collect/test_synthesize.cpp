#include <doctest/doctest.h>
#include <fcntl.h>

#include "collect/sample_file.hpp"
#include "collect/synthesize.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

void add_process(const test::scratch& folder, const std::string& pid, const std::string& maps) {
  folder.write(pid + "/status", "Name:\tx\nState:\tS\nTgid:\t" + pid + "\nPPid:\t1\n");
  folder.write(pid + "/task/" + pid + "/comm", "x\n");
  folder.write(pid + "/maps", maps);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct synthesized {
  test::scratch folder;
  sample_file file{
      descriptor{::open(folder.at("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)}};
  procfs proc{folder.at("")};
  synthesizer::record_sink sink() {
    return [this](std::span<const std::byte> bytes) { file.append(bytes); };
  }
};

}  // namespace

TEST_CASE("rings are drained between processes") {
  synthesized f;
  for (const char* pid : {"12", "13", "14"}) add_process(f.folder, pid, "");
  std::size_t calls = 0;
  synthesizer writer{f.proc, f.sink(), false, [&calls] { ++calls; }};
  for (const pid_t pid : f.proc.processes()) writer.process(pid);
  CHECK(calls == 3);
}

TEST_CASE("rings are drained between the threads of a process with many threads") {
  synthesized f;
  add_process(f.folder, "12", "");
  for (int tid = 13; tid < 613; ++tid)
    f.folder.write("12/task/" + std::to_string(tid) + "/comm", "x\n");
  std::size_t calls = 0;
  synthesizer{f.proc, f.sink(), false, [&calls] { ++calls; }}.process(12);
  CHECK(calls == 3);  // of 601 threads two times, and at the end
}

TEST_CASE("code mappings are written, and with tables also read-only file mappings") {
  const std::string maps =
      "1000-2000 r--p 00000000 08:01 42 /lib/x\n2000-3000 r-xp 00001000 08:01 42 /lib/x\n"
      "3000-4000 rw-p 00002000 08:01 42 /lib/x\n4000-5000 r--s 00000000 08:01 43 /shared\n"
      "5000-6000 r--p 00000000 00:00 0 \n6000-7000 r-xp 00000000 00:00 0 [vdso]\n";
  for (const bool with_tables : {false, true}) {
    synthesized f;
    add_process(f.folder, "12", maps);
    synthesizer{f.proc, f.sink(), with_tables, [] {}}.process(12);
    const auto text = f.folder.read("out");
    CHECK(count_of(text, "/lib/x") == (with_tables ? 2 : 1));
    CHECK(count_of(text, "[vdso]") == 1);
    CHECK(count_of(text, "/shared") == 0);
  }
}
