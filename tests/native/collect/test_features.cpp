#include <doctest/doctest.h>

#include <cstring>
#include <map>

#include "collect/features.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

// The records of a header behind the pipe header, by type and feature number.
std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> records_of(
    const record_buffer& buffer) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> features;
  const auto bytes = buffer.bytes();
  for (std::size_t at = sizeof(perf_format::pipe_header); at < bytes.size();) {
    perf_event_header header{};
    std::memcpy(&header, bytes.data() + at, sizeof header);
    REQUIRE(header.size >= 16);
    REQUIRE(at + header.size <= bytes.size());
    std::uint64_t feature = 0;
    if (header.type == 80) std::memcpy(&feature, bytes.data() + at + 8, sizeof feature);
    const auto skip = header.type == 80 ? 16U : 8U;
    features[{header.type, feature}] =
        std::string{reinterpret_cast<const char*>(bytes.data()) + at + skip, header.size - skip};
    at += header.size;
  }
  return features;
}

}  // namespace

TEST_CASE("a file header consists of whole records with padded strings") {
  host_description host;
  host.host_name = "a-host";
  host.cpus_configured = 4;
  host.cpus_online_count = 3;
  record_buffer buffer;
  event_header event;
  event.kinds.emplace_back().attribute.size = 128;
  event.name = "cpu-clock";
  event.arguments = {"stallscope-collect", std::string(70, 'y')};
  put_header(buffer, event, host);
  CHECK(std::memcmp(buffer.bytes().data(), "PERFILE2", 8) == 0);
  auto records = records_of(buffer);
  CHECK(records[{64, 0}].size() == 128);
  const auto name = records[{80, 3}];
  CHECK(name.size() == 4 + 64);
  CHECK(std::string{name.c_str() + 4} == "a-host");
  CHECK(records[{80, 7}] == std::string("\4\0\0\0\3\0\0\0", 8));
  CHECK(records[{80, 11}].size() == 4 + 4 + 64 + 4 + 128);
  CHECK(records.contains({80, 23}));
  CHECK_FALSE(records.contains({80, 8}));  // no CPU model is known
}

TEST_CASE("the kinds of an event have their ids and the event's name") {
  record_buffer buffer;
  event_header event;
  event.name = "cpu-clock";
  event.kinds = {{{}, {11, 12}}, {{}, {13}}};
  put_header(buffer, event, {});
  std::vector<std::uint64_t> words(buffer.bytes().size() / 8);
  std::memcpy(words.data(), buffer.bytes().data(), words.size() * 8);
  const std::size_t attribute = sizeof(perf_event_attr) / 8;
  const auto first = words.begin() + 2;  // behind the pipe header
  CHECK(first[1 + static_cast<std::ptrdiff_t>(attribute)] == 11);
  CHECK(first[2 + static_cast<std::ptrdiff_t>(attribute)] == 12);
  const auto update = first + static_cast<std::ptrdiff_t>(attribute) + 3;
  CHECK(update[1] == static_cast<std::uint64_t>(perf_format::event_update::name));
  CHECK(update[2] == 11);  // an event is named by its first id
}

TEST_CASE("a command line larger than a record is cut") {
  record_buffer buffer;
  event_header event;
  event.arguments = std::vector<std::string>(5000, std::string(100, 'z'));
  put_header(buffer, event, {});
  CHECK(records_of(buffer)[{80, 11}].size() < 65'536);
}

TEST_CASE("the CPU's name is read on x86 and on arm64") {
  host_description x86;
  read_cpuinfo(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: A "
      "Xeon\nstepping\t: 6\n",
      x86);
  CHECK(x86.cpu_model == "A Xeon");
  CHECK(x86.cpu_id == "GenuineIntel,6,106,6");
  host_description arm;
  read_cpuinfo(
      "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU "
      "revision\t: 1\n",
      arm);
  CHECK(arm.cpu_id == "0x41,0xd0c,0x3,1");
  CHECK(arm.cpu_model == "arm64 0x41,0xd0c,0x3,1");
}

TEST_CASE("a virtual machine is detected by its device tree or its firmware's names") {
  CHECK(hypervisor_of_tree(std::string("linux,dummy-virt\0", 17)) == "qemu");
  CHECK(hypervisor_of_tree(std::string("xen,xen-4.17\0xen,xen\0", 21)) == "xen");
  CHECK(hypervisor_of_tree(std::string("raspberrypi,4-model-b\0brcm,bcm2711\0", 35)).empty());
  CHECK(hypervisor_of_tree("").empty());
  CHECK(is_virtual_product("QEMU", "KVM Virtual Machine"));
  CHECK(is_virtual_product("Amazon EC2", "m7g.large"));
  CHECK_FALSE(is_virtual_product("Amazon EC2", "m7g.metal"));
  CHECK_FALSE(is_virtual_product("Dell Inc.", "PowerEdge"));
  CHECK_FALSE(is_virtual_product("", ""));
}
