# SPDX-License-Identifier: Apache-2.0
# Finds libdeflate by its CMake package, by pkg-config, or by its files, and defines
# Libdeflate::libdeflate. Installed beside numpactConfig.cmake, which needs it for a static numpact.

find_package(libdeflate CONFIG QUIET)
set(_libdeflate "")
foreach(_libdeflate_kind shared static)
  if(NOT _libdeflate AND TARGET libdeflate::libdeflate_${_libdeflate_kind})
    set(_libdeflate libdeflate::libdeflate_${_libdeflate_kind})
  endif()
endforeach()
if(NOT _libdeflate)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(LIBDEFLATE QUIET IMPORTED_TARGET libdeflate)
  endif()
  if(TARGET PkgConfig::LIBDEFLATE)
    set(_libdeflate PkgConfig::LIBDEFLATE)
  endif()
endif()
if(NOT _libdeflate)
  find_path(LIBDEFLATE_HEADERS libdeflate.h)
  find_library(LIBDEFLATE_LIBRARY deflate)
  if(LIBDEFLATE_HEADERS AND LIBDEFLATE_LIBRARY)
    add_library(libdeflate_files UNKNOWN IMPORTED)
    set_target_properties(libdeflate_files PROPERTIES
      IMPORTED_LOCATION ${LIBDEFLATE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LIBDEFLATE_HEADERS})
    set(_libdeflate libdeflate_files)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Libdeflate
  REQUIRED_VARS _libdeflate
  REASON_FAILURE_MESSAGE "install libdeflate-dev or libdeflate")

if(Libdeflate_FOUND AND NOT TARGET Libdeflate::libdeflate)
  add_library(Libdeflate::libdeflate INTERFACE IMPORTED)
  target_link_libraries(Libdeflate::libdeflate INTERFACE ${_libdeflate})
endif()
