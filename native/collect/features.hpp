// The start of samples.perf: the pipe header, the event's attribute and name, and the host.
// describe_host() reads some files of /proc and /sys. Any thread.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collect/record_buffer.hpp"

namespace stallscope::collect {

struct host_description {
  std::string host_name;
  std::string kernel_release;
  std::string kernel_version;
  std::string architecture;
  std::string cpu_model;
  std::string cpu_id;  // as perf writes it: vendor,family,model,stepping
  std::string boot_id;
  std::string virtualization;  // empty: none detected
  std::string cpus_online;
  std::uint32_t cpus_configured = 0;
  std::uint32_t cpus_online_count = 0;
  std::uint64_t memory_bytes = 0;  // 0: unknown
};

host_description describe_host();

// Returns the hypervisor in a device tree's list of compatible names; empty if there is none.
std::string hypervisor_of_tree(const std::string& compatible);

// Returns whether the DMI vendor and product are those of a virtual machine.
bool is_virtual_product(const std::string& vendor, const std::string& product);

// Reads the CPU's name from /proc/cpuinfo, on x86 and arm64.
void read_cpuinfo(const std::string& cpuinfo, host_description& host);

struct event_header {
  struct kind {
    perf_event_attr attribute{};
    std::vector<std::uint64_t> ids;  // required if there are several kinds
    std::string name{};              // empty: the name of the sampled event
  };
  // The sampled event with copied stacks and without, then the other events of its group.
  std::vector<kind> kinds;
  std::string name;
  std::vector<std::string> arguments;
  std::uint64_t monotonic_ns = 0;  // one instant on both clocks
  std::uint64_t realtime_ns = 0;
};

void put_header(record_buffer& out, const event_header& event, const host_description& host);

// Announces records with compressed content (record_compressor).
void put_compression(record_buffer& out);

}  // namespace stallscope::collect
