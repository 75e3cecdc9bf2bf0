#include <doctest/doctest.h>

#include <map>
#include <string>

#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {
namespace {

std::optional<std::int32_t> any_constant(std::string_view name) {
  if (name == "TaggedSize") return 8;
  if (name == "SmiShiftSize") return 31;
  return 24;
}

}  // namespace

TEST_CASE("known versions have a layout") {
  const std::map<std::uint32_t, std::uint32_t> versions{
      {10, 2}, {11, 3}, {12, 4}, {13, 6}, {14, 6}};
  for (const auto& [major, minor] : versions) CHECK(layout_of(major, minor, any_constant).fields);
}

TEST_CASE("another version is refused") {
  CHECK(layout_of(11, 4, any_constant).refusal == "unsupported version");
  CHECK(layout_of(99, 0, any_constant).refusal == "unsupported version");
}

TEST_CASE("compressed pointers are refused") {
  const auto compressed = [](std::string_view name) {
    return name == "TaggedSize" ? std::optional{4} : any_constant(name);
  };
  CHECK(layout_of(11, 3, compressed).refusal == "compressed pointers are not supported");
}

TEST_CASE("a missing constant is refused by name") {
  const auto without_script = [](std::string_view name) {
    return name == "class_Script__name__Object" ? std::nullopt : any_constant(name);
  };
  CHECK(layout_of(11, 3, without_script).refusal == "no constant class_Script__name__Object");
}

}  // namespace stallscope::v8_frames
