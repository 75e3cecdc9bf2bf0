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
