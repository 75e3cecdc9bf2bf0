# Dependencies, all from the system's packages; ./dev installs them.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# libpfm4 has no CMake or pkg-config file. Only its static library goes into the programs.
find_path(PFM_INCLUDE_DIR perfmon/pfmlib.h REQUIRED)
find_library(PFM_LIBRARY NAMES libpfm.a REQUIRED)
add_library(pfm4 STATIC IMPORTED)
set_target_properties(pfm4 PROPERTIES IMPORTED_LOCATION ${PFM_LIBRARY}
                                      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${PFM_INCLUDE_DIR})

# The query path's libraries.
if(STALLSCOPE_ALL_PROGRAMS)
  find_library(CRYPTO_LIBRARY NAMES libcrypto.a REQUIRED)
  find_path(RAPIDJSON_INCLUDE_DIR rapidjson/document.h REQUIRED)
  find_library(SQLITE_LIBRARY NAMES libsqlite3.a REQUIRED)
  add_library(query_libraries INTERFACE)
  target_link_libraries(query_libraries INTERFACE ${SQLITE_LIBRARY} ${CRYPTO_LIBRARY}
                                                  Threads::Threads ${CMAKE_DL_LIBS} m)

  # Only liburing's static library goes into the programs, as libpfm4's.
  find_path(URING_INCLUDE_DIR liburing.h REQUIRED)
  find_library(URING_LIBRARY NAMES liburing.a REQUIRED)
endif()
