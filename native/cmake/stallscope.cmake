# How every target of stallscope is made: warnings are errors, headers are found, sanitizers apply.
add_library(stallscope_options INTERFACE)
target_include_directories(stallscope_options INTERFACE ${PROJECT_SOURCE_DIR}/native/include)
target_compile_definitions(stallscope_options INTERFACE STALLSCOPE_VERSION="${PROJECT_VERSION}" _FILE_OFFSET_BITS=64)
target_compile_options(stallscope_options INTERFACE -Wall -Wextra -Wconversion -Werror -fno-omit-frame-pointer)
if(STALLSCOPE_SANITIZE)
  target_compile_options(stallscope_options INTERFACE -fsanitize=${STALLSCOPE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(stallscope_options INTERFACE -fsanitize=${STALLSCOPE_SANITIZE})
endif()

# stallscope_library(NAME SOURCES... [LINKS ...]) makes the static library stallscope_NAME.
function(stallscope_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(stallscope_${name} STATIC ${arg_SOURCES})
  target_link_libraries(stallscope_${name} PUBLIC stallscope_options ${arg_LINKS})
endfunction()

# stallscope_program(NAME SOURCES... [LINKS ...]) makes the executable stallscope-NAME, static where
# that works, and installs it where the Python package finds it.
function(stallscope_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(stallscope-${name} ${arg_SOURCES})
  target_link_libraries(stallscope-${name} PRIVATE stallscope_options ${arg_LINKS})
  if(STALLSCOPE_STATIC)
    target_link_options(stallscope-${name} PRIVATE -static)
  endif()
  install(TARGETS stallscope-${name} DESTINATION stallscope/programs COMPONENT python)
endfunction()

add_custom_target(cxx_tests COMMENT "every C++ test")
add_custom_target(threading_tests COMMENT "the C++ tests of rings and threads")

# stallscope_test(NAME SOURCES... [LINKS ...] [THREADING]) makes a doctest executable that ctest
# runs; THREADING ones also run under the thread sanitizer.
function(stallscope_test name)
  cmake_parse_arguments(arg "THREADING" "" "SOURCES;LINKS" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE stallscope_options doctest_main ${arg_LINKS})
  add_test(NAME ${name} COMMAND test_${name})
  add_dependencies(cxx_tests test_${name})
  if(arg_THREADING)
    add_dependencies(threading_tests test_${name})
    set_tests_properties(${name} PROPERTIES LABELS threading)
  endif()
endfunction()
