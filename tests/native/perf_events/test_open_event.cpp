#include <doctest/doctest.h>

#include <cerrno>

#include "perf_events/open_event.hpp"

using namespace stallscope;
using namespace stallscope::perf_events;

TEST_CASE("the attribute has the options of a recording and stays readable for older tools") {
  const auto attribute = sampling_attribute(cpu_clock(), {});
  CHECK(attribute.size == 128);
  CHECK(attribute.sample_type == sample_fields);
  CHECK(attribute.freq == 1);
  CHECK(attribute.sample_freq == 999);
  CHECK(attribute.sample_id_all == 1);
  CHECK(attribute.inherit == 1);
  CHECK(attribute.context_switch == 0);
  CHECK(attribute.disabled == 0);
}

TEST_CASE("a period replaces the frequency; user scope excludes the kernel and its chains") {
  sampling how;
  how.period = 5000;
  how.user_only = true;
  const auto attribute = sampling_attribute(cpu_clock(), how);
  CHECK(attribute.freq == 0);
  CHECK(attribute.sample_period == 5000);
  CHECK(attribute.exclude_kernel == 1);
  CHECK(attribute.exclude_callchain_kernel == 1);
}

TEST_CASE(
    "a copied stack comes with its registers, without the chain that readers would add to it") {
  sampling how;
  how.stack_bytes = 8192;
  how.user_registers = 0xFF;
  const auto attribute = sampling_attribute(cpu_clock(), how);
  CHECK(attribute.sample_type == (sample_fields | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER));
  CHECK(attribute.sample_stack_user == 8192);
  CHECK(attribute.sample_regs_user == 0xFF);
  CHECK(attribute.exclude_callchain_user == 1);
  CHECK(attribute.mmap_data == 1);
}

TEST_CASE("a refused event gives the kernel's errno") {
  const auto opened = open_event(sampling_attribute(cpu_clock(), {}), {0, 1'000'000, 0});
  CHECK_FALSE(opened.fd);
  CHECK(opened.error != 0);
}
