#include "v8_frames/layout.hpp"

#include <algorithm>
#include <array>

#include "v8_frames/versions/v8_10.hpp"
#include "v8_frames/versions/v8_11.hpp"
#include "v8_frames/versions/v8_12.hpp"
#include "v8_frames/versions/v8_13.hpp"
#include "v8_frames/versions/v8_14.hpp"

namespace stallscope::v8_frames {
namespace {

constexpr std::array<version_offsets, 5> known_versions{v8_10, v8_11, v8_12, v8_13, v8_14};

// Collects constants, and the name of the first one that is missing.
class constants {
 public:
  explicit constants(const constant_lookup& look_up) : look_up_{&look_up} {}

  // The value of the first name that exists.
  std::uint32_t take(std::initializer_list<std::string_view> names) {
    for (const auto name : names) {
      if (const auto value = (*look_up_)(name)) return static_cast<std::uint32_t>(*value);
    }
    if (missing.empty()) missing = *names.begin();
    return 0;
  }
  std::uint32_t take_or(std::string_view name, std::uint32_t otherwise) {
    const auto value = (*look_up_)(name);
    return value ? static_cast<std::uint32_t>(*value) : otherwise;
  }

  std::string missing;

 private:
  const constant_lookup* look_up_;
};

}  // namespace

layout_search layout_of(std::uint32_t major, std::uint32_t minor, const constant_lookup& constant) {
  const auto match = std::find_if(known_versions.begin(), known_versions.end(), [&](const auto& v) {
    return v.major == major && minor >= v.first_minor && minor <= v.last_minor;
  });
  if (match == known_versions.end()) return {{}, "unsupported version"};
  constants from{constant};
  if (from.take_or("TaggedSize", 0) != 8 || from.take_or("SmiShiftSize", 0) != 31)
    return {{}, "compressed pointers are not supported"};
  layout result;
  auto& version = result.version = *match;
  result.stream_type = version.code_is_inline
                           ? from.take({"type_Code__CODE_TYPE"})
                           : from.take({"type_InstructionStream__INSTRUCTION_STREAM_TYPE"});
  result.bytecode_type = from.take({"type_BytecodeArray__BYTECODE_ARRAY_TYPE"});
  result.scope_info_type = from.take({"type_ScopeInfo__SCOPE_INFO_TYPE"});
  result.shared_info_type = from.take({"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"});
  result.script_type = from.take({"type_Script__SCRIPT_TYPE"});
  result.map_type = from.take({"type_Map__MAP_TYPE"});
  const auto function_type = from.take({"type_JSFunction__JS_FUNCTION_TYPE"});
  result.first_function_type = from.take_or("FirstJSFunctionType", function_type);
  result.last_function_type =
      from.take_or("LastJSFunctionType", function_type + version.js_function_types - 1);
  result.map_instance_type = from.take({"class_Map__instance_type__uint16_t"});
  result.function_shared = from.take({"class_JSFunction__shared__SharedFunctionInfo"});
  result.shared_name =
      from.take({"class_SharedFunctionInfo__name_or_scope_info__Object",
                 "class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_",
                 "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_"});
  result.shared_script = from.take({"class_SharedFunctionInfo__script_or_debug_info__HeapObject",
                                    "class_SharedFunctionInfo__script__Tagged_HeapObject_"});
  result.bytecode_data = from.take({"class_BytecodeArray__data__uintptr_t"});
  result.script_name = from.take({"class_Script__name__Object"});
  result.script_source = from.take({"class_Script__source__Object"});
  result.code_kind_mask = from.take({"CodeKindFieldMask"});
  result.kind_baseline = from.take({"CodeKindBaseline"});
  version.deopt_inlined_count =
      from.take_or("DeoptimizationDataInlinedFunctionCountIndex", version.deopt_inlined_count);
  version.deopt_literals =
      from.take_or("DeoptimizationDataLiteralArrayIndex", version.deopt_literals);
  version.deopt_inlining_positions =
      from.take_or("DeoptimizationDataInliningPositionsIndex", version.deopt_inlining_positions);
  if (!from.missing.empty()) return {{}, "no constant " + from.missing};
  return {result, {}};
}

}  // namespace stallscope::v8_frames
