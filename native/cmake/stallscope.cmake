# How every target of stallscope is made: warnings are errors, headers are found, sanitizers apply.
add_library(stallscope_options INTERFACE)
target_include_directories(stallscope_options INTERFACE ${PROJECT_SOURCE_DIR}/native)
target_compile_definitions(stallscope_options INTERFACE STALLSCOPE_VERSION="${PROJECT_VERSION}" _FILE_OFFSET_BITS=64)
target_compile_options(stallscope_options INTERFACE -Wall -Wextra -Wconversion -Werror -fno-omit-frame-pointer)
# Clang builds the tests: its -Wconversion asks for more than GCC's, it knows fewer attributes,
# takes RapidJSON's comparisons for ambiguous in C++20, and options of C++ for assembly amiss.
target_compile_options(stallscope_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion;-Wno-unknown-attributes;-Wno-ambiguous-reversed-operator>
  $<$<COMPILE_LANG_AND_ID:ASM,Clang>:-Wno-unused-command-line-argument>)
if(STALLSCOPE_SANITIZE)
  target_compile_options(stallscope_options INTERFACE -fsanitize=${STALLSCOPE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(stallscope_options INTERFACE -fsanitize=${STALLSCOPE_SANITIZE} -fuse-ld=lld)
  # clang 14 does not look for uses after return at run time unless an environment variable is set; the unused code for it
  # takes a tenth of a compilation.
  if(STALLSCOPE_SANITIZE MATCHES address)
    target_compile_options(stallscope_options INTERFACE
      $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-address-use-after-return=never>)
  endif()
  # Undefined behaviour executes an invalid instruction, whose SIGILL the address sanitizer reports with the line. A call
  # that also prints the kind and the values makes the code a quarter larger and a sixth slower to compile.
  if(STALLSCOPE_SANITIZE MATCHES undefined)
    target_compile_options(stallscope_options INTERFACE -fsanitize-trap=undefined)
  endif()
  # RapidJSON grows its stack by arithmetic on a null pointer.
  target_compile_options(stallscope_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignorelist.txt>)
endif()

# stallscope_standard_headers(NAME OPTIONS...) makes one precompiled header for all targets whose options are
# the same: parsing the standard library is a fourth of a test build. clang-tidy parses without it, so that a missing #include is found.
function(stallscope_standard_headers name)
  if(STALLSCOPE_PRECOMPILE)
    add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/native/cmake/standard_headers.cpp)
    target_link_libraries(${name} PRIVATE stallscope_options)
    target_compile_options(${name} PRIVATE ${ARGN})
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <filesystem> <fstream> <functional>
      <map> <memory> <optional> <set> <span> <sstream> <string> <string_view> <system_error> <thread>
      <unordered_map> <utility> <vector>)
  endif()
endfunction()

stallscope_standard_headers(stallscope_standard_headers)
if(STALLSCOPE_FUZZERS)
  stallscope_standard_headers(stallscope_fuzzed_headers -fsanitize=fuzzer-no-link)
endif()
function(stallscope_precompiled target)
  if(TARGET stallscope_standard_headers)
    target_precompile_headers(${target} REUSE_FROM stallscope_standard_headers)
  endif()
endfunction()

# Compiles a target's sources with the coverage that fuzzers need, and a precompiled header with that option.
function(stallscope_fuzzed target)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  if(TARGET stallscope_fuzzed_headers)
    target_precompile_headers(${target} REUSE_FROM stallscope_fuzzed_headers)
  endif()
endfunction()

# The libraries whose coverage fuzzers need.
set(STALLSCOPE_FUZZED base text_input benchmark_text dwarf perf_script requests hotspot_frames process_reading python_frames managed_frames v8_frames ruby_frames php_frames capture unwind_walk unwind_zlib resp store server_commands server_shards value_log ioqueue)

# Unity builds: all sources of a target are compiled as one, which takes a third of the time, since
# most of it goes into headers. So names in unnamed namespaces are unique within a target. ALONE
# lists sources that stay out: code whose speed is known must not be optimized together with others.
function(stallscope_unity target)
  if(STALLSCOPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# stallscope_library(NAME SOURCES... [ALONE SOURCES...] [LINKS ...] [OWN_OPTIONS]) makes the static
# library stallscope_NAME; OWN_OPTIONS: its compile options differ from those of all others.
function(stallscope_library name)
  cmake_parse_arguments(arg "OWN_OPTIONS" "" "SOURCES;ALONE;LINKS" ${ARGN})
  add_library(stallscope_${name} STATIC ${arg_SOURCES} ${arg_ALONE})
  target_link_libraries(stallscope_${name} PUBLIC stallscope_options ${arg_LINKS})
  stallscope_unity(stallscope_${name} ${arg_ALONE})
  if(STALLSCOPE_FUZZERS AND name IN_LIST STALLSCOPE_FUZZED)
    stallscope_fuzzed(stallscope_${name})
  elseif(NOT arg_OWN_OPTIONS)
    stallscope_precompiled(stallscope_${name})
  endif()
endfunction()

# stallscope_program(NAME SOURCES... [LINKS ...] [MEASURES]) makes the executable stallscope-NAME,
# static if STALLSCOPE_STATIC is set, and installs it where the Python package finds it. A program's own
# sources parse a command line and call a library, so a release compiles them with -O1. MEASURES: the
# speed of these sources matters, and they get the optimization of the build type.
function(stallscope_program name)
  cmake_parse_arguments(arg "MEASURES" "" "SOURCES;LINKS" ${ARGN})
  add_executable(stallscope-${name} ${arg_SOURCES})
  target_link_libraries(stallscope-${name} PRIVATE stallscope_options ${arg_LINKS})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    stallscope_precompiled(stallscope-${name}) # a release's header is for -fPIC, programs are -fPIE
  elseif(NOT arg_MEASURES)
    target_compile_options(stallscope-${name} PRIVATE -O1)
  endif()
  stallscope_unity(stallscope-${name})
  if(STALLSCOPE_STATIC)
    target_link_options(stallscope-${name} PRIVATE -static)
  endif()
  install(TARGETS stallscope-${name} DESTINATION stallscope/programs COMPONENT python)
endfunction()

add_custom_target(cxx_tests COMMENT "every C++ test")
add_custom_target(threading_tests COMMENT "the C++ tests of rings and threads")

# stallscope_test(NAME SOURCES... [ALONE SOURCES...] [LINKS ...] [THREADING] [LONG]) makes a doctest executable that
# ctest runs; THREADING ones also run under the thread sanitizer, LONG ones for longer in ./dev fuzz.
function(stallscope_test name)
  cmake_parse_arguments(arg "THREADING;LONG" "" "SOURCES;ALONE;LINKS" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES} ${arg_ALONE})
  target_link_libraries(test_${name} PRIVATE stallscope_options doctest_main ${arg_LINKS})
  stallscope_precompiled(test_${name})
  stallscope_unity(test_${name} ${arg_ALONE})
  add_test(NAME ${name} COMMAND test_${name})
  add_dependencies(cxx_tests test_${name})
  if(arg_THREADING)
    add_dependencies(threading_tests test_${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS threading)
  endif()
  if(arg_LONG)
    set_property(TEST ${name} APPEND PROPERTY LABELS long)
  endif()
endfunction()
