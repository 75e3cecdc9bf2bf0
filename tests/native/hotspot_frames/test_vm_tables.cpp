#include "hotspot_frames/vm_tables.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "hotspot_frames/vm_layout.hpp"

namespace stallscope::hotspot_frames {
namespace {

// Tables in the memory of the test, in the form that libjvm has.
struct struct_entry {
  const char* type_name;
  const char* field_name;
  std::int32_t is_static;
  std::uint64_t offset;
  const void* address;
};
struct type_entry {
  const char* type_name;
  std::uint64_t size;
};
struct constant_entry {
  const char* name;
  std::int32_t value;
};

class fake_library {
 public:
  std::vector<struct_entry> structs{{"CodeBlob", "_size", 0, 12, nullptr},
                                    {"CodeCache", "_heaps", 1, 0, this},
                                    {nullptr, nullptr, 0, 0, nullptr}};
  std::array<type_entry, 2> types{{{"nmethod", 352}, {nullptr, 0}}};
  std::array<constant_entry, 2> constants{{{"CompLevel_none", -1}, {nullptr, 0}}};

  std::optional<vm_tables> read(const process_reading::read_limits& limits = {}) {
    set("gHotSpotVMStructs", structs.data());
    set("gHotSpotVMTypes", types.data());
    set("gHotSpotVMIntConstants", constants.data());
    const std::string entry = "gHotSpotVMStructEntry";
    set(entry + "ArrayStride", sizeof(struct_entry));
    set(entry + "TypeNameOffset", offsetof(struct_entry, type_name));
    set(entry + "FieldNameOffset", offsetof(struct_entry, field_name));
    set(entry + "IsStaticOffset", offsetof(struct_entry, is_static));
    set(entry + "OffsetOffset", offsetof(struct_entry, offset));
    set(entry + "AddressOffset", offsetof(struct_entry, address));
    set("gHotSpotVMTypeEntryArrayStride", sizeof(type_entry));
    set("gHotSpotVMTypeEntryTypeNameOffset", offsetof(type_entry, type_name));
    set("gHotSpotVMTypeEntrySizeOffset", offsetof(type_entry, size));
    set("gHotSpotVMIntConstantEntryArrayStride", sizeof(constant_entry));
    set("gHotSpotVMIntConstantEntryNameOffset", offsetof(constant_entry, name));
    set("gHotSpotVMIntConstantEntryValueOffset", offsetof(constant_entry, value));
    read_budget budget{limits};
    return vm_tables::read(process_memory{::getpid()}, look_up, this, budget);
  }
  void remove(const std::string& symbol) { missing_ = symbol; }

 private:
  static std::optional<std::uint64_t> look_up(const void* context, std::string_view name) {
    const auto* const library = static_cast<const fake_library*>(context);
    const auto variable = library->variables_.find(std::string{name});
    if (variable == library->variables_.end() || name == library->missing_) return std::nullopt;
    return address_of(&variable->second);
  }
  static std::uint64_t address_of(const void* pointer) {
    std::uint64_t value = 0;
    std::memcpy(&value, &pointer, sizeof value);
    return value;
  }
  void set(const std::string& name, std::uint64_t value) { variables_[name] = value; }
  void set(const std::string& name, const void* pointer) { variables_[name] = address_of(pointer); }

  std::map<std::string, std::uint64_t> variables_;
  std::string missing_;
};

}  // namespace

TEST_CASE("fields, sizes and constants are found by name") {
  fake_library library;
  const auto tables = library.read();
  REQUIRE(tables);
  CHECK(tables->offset("CodeBlob::_size") == 12U);
  CHECK(tables->address("CodeCache::_heaps"));
  CHECK_FALSE(tables->offset("CodeCache::_heaps"));
  CHECK(tables->size_of("nmethod") == 352U);
  CHECK(tables->constant("CompLevel_none") == -1);
  CHECK_FALSE(tables->offset("CodeBlob::_name"));
}

TEST_CASE("a table without an end is refused") {
  fake_library library;
  library.structs.assign(20'000, {"CodeBlob", "_size", 0, 12, nullptr});
  CHECK_FALSE(library.read());
}

TEST_CASE("a library without one of the variables is refused") {
  for (const char* const name : {"gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
                                 "gHotSpotVMTypeEntrySizeOffset", "gHotSpotVMIntConstants"}) {
    fake_library library;
    library.remove(name);
    CHECK_FALSE(library.read());
  }
}

TEST_CASE("the read ends when its budget is exhausted") {
  fake_library library;
  CHECK_FALSE(library.read({.bytes = 100, .cpu_ns = 1'000'000'000}));
}

TEST_CASE("an unknown version and a missing field are refused by name") {
  fake_library library;
  const auto tables = library.read();
  REQUIRE(tables);
  CHECK(layout_of(*tables, 11).refusal.find("OpenJDK 11: unsupported version") == 0);
  CHECK(layout_of(*tables, 17).refusal.find("OpenJDK 17: its tables lack ") == 0);
}

}  // namespace stallscope::hotspot_frames
