// What counts as one object, and who is which thread.
#include <doctest/doctest.h>

#include "capture/object_table.hpp"
#include "capture/thread_table.hpp"
#include "capture_builder.hpp"

using namespace stallscope::capture;
namespace tests = capture_tests;

TEST_CASE("objects differ by path, build id and inode, anonymous memory by process") {
  memory_budget budget(1U << 20U);
  object_table table(budget);
  object file;
  file.path = "/bin/x";
  file.inode = 5;
  file.pid = 1;
  const auto first = table.intern(file);
  file.pid = 2;
  CHECK(table.intern(file) == first);
  file.inode = 6;
  CHECK(table.intern(file) != first);
  object heap;
  heap.path = "//anon";
  heap.anonymous = true;
  heap.pid = 1;
  const auto of_first_process = table.intern(heap);
  heap.pid = 2;
  CHECK(table.intern(heap) != of_first_process);
}

TEST_CASE("memory without a file that has symbols is anonymous") {
  for (const char* path : {"//anon", "[heap]", "[stack:7]", "/memfd:jit (deleted)", "/SYSV00000000",
                           "anon_inode:[x]", "[anon:v8]", ""}) {
    CHECK(is_anonymous(path));
  }
  for (const char* path : {"/usr/lib/libc.so.6", "[vdso]", "[vsyscall]", "/dev/shm/x"}) {
    CHECK_FALSE(is_anonymous(path));
  }
}

TEST_CASE("anonymous addresses stay absolute") {
  tests::capture_builder made(tests::order::little, {tests::event_spec{}});
  made.mmap2(1, 0x7000, 0x1000, 0, "//anon", 1).sample(0x7123, 1, 1, 2);
  const auto done = tests::read(made.pipe());
  CHECK(tests::frame_text(done, 0, 0) == "//anon+0x7123/0");
  CHECK(done.objects.at(0).pid == 1);
}

TEST_CASE("threads share their process's maps, forks copy them, exec drops them") {
  tests::capture_builder made(tests::order::little, {tests::event_spec{}});
  made.mmap2(1, 0x1000, 0x1000, 0, "/bin/shell", 1).comm(1, 1, "shell", 2);
  made.task(PERF_RECORD_FORK, 1, 1, 9, 3).sample(0x1004, 1, 9, 4);
  made.task(PERF_RECORD_FORK, 2, 1, 2, 5).sample(0x1004, 2, 2, 6);
  made.comm(2, 2, "child", 7, PERF_RECORD_MISC_COMM_EXEC).sample(0x1004, 2, 2, 8);
  made.task(PERF_RECORD_EXIT, 1, 1, 9, 9).sample(0x1004, 1, 1, 10);
  made.task(PERF_RECORD_EXIT, 1, 1, 1, 11).task(PERF_RECORD_FORK, 1, 2, 1, 12);
  made.sample(0x1004, 1, 1, 13);
  const auto done = tests::read(made.pipe());
  CHECK(tests::frame_text(done, 0, 0) == "/bin/shell+0x4/0");
  CHECK(tests::frame_text(done, 1, 0) == "/bin/shell+0x4/0");
  CHECK(tests::frame_text(done, 2, 0) == "?+0x1004/0");
  CHECK(tests::frame_text(done, 3, 0) == "/bin/shell+0x4/0");
  CHECK(tests::frame_text(done, 4, 0) == "?+0x1004/0");
  const auto name = [&](std::size_t sample) { return done.threads[done.samples.thread[sample]]; };
  CHECK(name(0).name == "shell");
  CHECK(name(1).name == "child");
  CHECK(name(0).process_name == name(3).name);
}

TEST_CASE("a process that existed before the recording has separate maps") {
  tests::capture_builder made(tests::order::little, {tests::event_spec{}});
  made.mmap2(1, 0x1000, 0x1000, 0, "/bin/init", 0);
  tests::wire fork = made.body();
  fork.u32(2).u32(1).u32(2).u32(1).u64(0).u32(0).u32(0).u64(0);
  made.record(PERF_RECORD_FORK, 1U << 13U, fork);
  made.sample(0x1004, 2, 2, 5);
  CHECK(tests::frame_text(tests::read(made.pipe()), 0, 0) == "?+0x1004/0");
}
