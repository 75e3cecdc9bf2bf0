#include "collect/features.hpp"

#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <sstream>

#include "collect/record_compressor.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {
namespace {

constexpr std::size_t name_alignment = 64;

std::string first_line(const std::string& path) {
  const std::string text = read_text(path, 4096);
  return text.substr(0, text.find('\n'));
}

// Returns the value of "key : value" in cpuinfo; empty without the key.
std::string field_of(const std::string& cpuinfo, const std::string& key) {
  std::istringstream lines{cpuinfo};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    const auto after_key = line.find_first_not_of(" \t", key.size());
    if (colon == std::string::npos || after_key != colon) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

std::string virtualization_of(const std::string& cpuinfo) {
  std::string hypervisor = first_line("/sys/hypervisor/type");
  if (!hypervisor.empty()) return hypervisor;
  for (const char* tree :
       {"/proc/device-tree/hypervisor/compatible", "/proc/device-tree/compatible"})
    if (auto name = hypervisor_of_tree(read_text(tree, 4096)); !name.empty()) return name;
  const std::string flags = std::string{" "}.append(field_of(cpuinfo, "flags")).append(" ");
  const std::string product = first_line("/sys/class/dmi/id/product_name");
  const std::string vendor = first_line("/sys/class/dmi/id/sys_vendor");
  const bool has_flag = flags.find(" hypervisor ") != std::string::npos;
  if (!has_flag && !is_virtual_product(vendor, product)) return {};
  return product.empty() ? "hypervisor" : product;
}

}  // namespace

std::string hypervisor_of_tree(const std::string& compatible) {
  // Zero-terminated names of the machine or of its hypervisor.
  for (std::size_t at = 0; at < compatible.size();) {
    const std::string name{compatible.c_str() + at};
    if (name == "linux,dummy-virt") return "qemu";
    if (name.starts_with("xen,")) return "xen";
    if (name == "linux,kvm") return "kvm";
    at += name.size() + 1;
  }
  return {};
}

bool is_virtual_product(const std::string& vendor, const std::string& product) {
  // On arm64 CPUs have no hypervisor flag, so the firmware's names decide. Bare-metal cloud
  // instances have the cloud's vendor name, too, but "metal" in the product name.
  static constexpr std::array vendors{"QEMU", "VMware", "Xen", "innotek", "Parallels", "KVM"};
  const auto begins = [&vendor](const char* name) { return vendor.starts_with(name); };
  if (std::any_of(vendors.begin(), vendors.end(), begins)) return true;
  const bool cloud = vendor == "Amazon EC2" || vendor == "Google" ||
                     (vendor == "Microsoft Corporation" && product == "Virtual Machine");
  return cloud && product.find("metal") == std::string::npos;
}

namespace {

void begin_feature(record_buffer& out, perf_format::feature number) {
  out.begin(perf_format::user_record::header_feature);
  out.put(static_cast<std::uint64_t>(number));
}

// A string in the feature format: its padded length, then the text.
void put_text(record_buffer& out, std::string_view text) {
  text = text.substr(0, 4000);
  const std::size_t padded = (text.size() / name_alignment + 1) * name_alignment;
  out.put(static_cast<std::uint32_t>(padded));
  out.put_padded(text, name_alignment);
}

void put_text_feature(record_buffer& out, perf_format::feature number, std::string_view text) {
  begin_feature(out, number);
  put_text(out, text);
  out.end();
}

void put_arguments(record_buffer& out, const std::vector<std::string>& arguments) {
  // The record's size has 16 bits: a longer command line is cut.
  std::size_t room = 48'000;
  std::vector<std::string_view> kept;
  for (const auto& argument : arguments) {
    if (argument.size() + name_alignment + 4 > room) break;
    room -= std::min<std::size_t>(argument.size(), 4000) + name_alignment + 4;
    kept.push_back(argument);
  }
  begin_feature(out, perf_format::feature::cmdline);
  out.put(static_cast<std::uint32_t>(kept.size()));
  for (const auto argument : kept) put_text(out, argument);
  out.end();
}

void put_clock(record_buffer& out, const event_header& event) {
  begin_feature(out, perf_format::feature::clockid);
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  out.put(static_cast<std::uint64_t>(resolution.tv_nsec));
  out.end();
  begin_feature(out, perf_format::feature::clock_data);
  out.put(std::uint32_t{1});  // the feature's version
  out.put(static_cast<std::uint32_t>(CLOCK_MONOTONIC));
  out.put(event.realtime_ns);
  out.put(event.monotonic_ns);
  out.end();
}

void put_event(record_buffer& out, const event_header& event) {
  for (const auto& [attribute, ids, name] : event.kinds) {
    out.begin(perf_format::user_record::header_attr);
    out.put(attribute);
    for (const auto id : ids) out.put(id);
    out.end();
    out.begin(perf_format::user_record::event_update);
    out.put(static_cast<std::uint64_t>(perf_format::event_update::name));
    out.put(ids.empty() ? std::uint64_t{0} : ids.front());  // 0: a single event without ids
    out.put_padded(name.empty() ? event.name : name);
    out.end();
  }
}

}  // namespace

void read_cpuinfo(const std::string& cpuinfo, host_description& host) {
  host.cpu_model = field_of(cpuinfo, "model name");
  const std::string vendor = field_of(cpuinfo, "vendor_id");
  if (!vendor.empty()) {
    host.cpu_id = vendor + "," + field_of(cpuinfo, "cpu family") + "," +
                  field_of(cpuinfo, "model") + "," + field_of(cpuinfo, "stepping");
    return;
  }
  const std::string implementer = field_of(cpuinfo, "CPU implementer");
  if (implementer.empty()) return;
  host.cpu_id = implementer + "," + field_of(cpuinfo, "CPU part") + "," +
                field_of(cpuinfo, "CPU variant") + "," + field_of(cpuinfo, "CPU revision");
  if (host.cpu_model.empty()) host.cpu_model = "arm64 " + host.cpu_id;
}

host_description describe_host() {
  host_description host;
  utsname system{};
  ::uname(&system);
  host.host_name = system.nodename;
  host.kernel_release = system.release;
  host.kernel_version = system.version;
  host.architecture = system.machine;
  const std::string cpuinfo = read_text("/proc/cpuinfo");
  read_cpuinfo(cpuinfo, host);
  host.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  host.virtualization = virtualization_of(cpuinfo);
  const auto online = perf_events::online_cpus();
  host.cpus_online = perf_events::format_cpu_list(online);
  host.cpus_online_count = static_cast<std::uint32_t>(online.size());
  host.cpus_configured = static_cast<std::uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)));
  // sysconf(_SC_PHYS_PAGES) returns uninitialized memory if the kernel reports an error.
  struct sysinfo memory {};
  if (::sysinfo(&memory) == 0)
    host.memory_bytes = std::uint64_t{memory.totalram} * std::uint64_t{memory.mem_unit};
  return host;
}

void put_header(record_buffer& out, const event_header& event, const host_description& host) {
  using perf_format::feature;
  out.put(perf_format::pipe_header{perf_format::magic, sizeof(perf_format::pipe_header)});
  put_event(out, event);
  put_text_feature(out, feature::hostname, host.host_name);
  put_text_feature(out, feature::osrelease, host.kernel_release);
  put_text_feature(out, feature::version, "stallscope-collect " STALLSCOPE_VERSION);
  put_text_feature(out, feature::arch, host.architecture);
  begin_feature(out, feature::nrcpus);
  out.put(host.cpus_configured);
  out.put(host.cpus_online_count);
  out.end();
  if (!host.cpu_model.empty()) put_text_feature(out, feature::cpudesc, host.cpu_model);
  if (!host.cpu_id.empty()) put_text_feature(out, feature::cpuid, host.cpu_id);
  begin_feature(out, feature::total_mem);
  out.put(host.memory_bytes / 1024);
  out.end();
  put_arguments(out, event.arguments);
  put_clock(out, event);
}

void put_compression(record_buffer& out) {
  constexpr std::uint32_t zstd = 1;  // PERF_COMP_ZSTD
  begin_feature(out, perf_format::feature::compressed);
  for (const std::uint32_t value :
       {1U, zstd, static_cast<std::uint32_t>(record_compressor::level), 1U,
        static_cast<std::uint32_t>(record_compressor::max_content_bytes)})
    out.put(value);
  out.end();
}

}  // namespace stallscope::collect
