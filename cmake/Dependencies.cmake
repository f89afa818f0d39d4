# SPDX-License-Identifier: Apache-2.0
# The dependencies of numpact: of the system if it has them, else fetched from their publishers.
#
# numpact_need(NAME) looks for a package of the table below and, where that is not found and
# NUMPACT_FETCH_DEPENDENCIES allows it, downloads it. Archives are pinned by their SHA-256; where a
# place repacks an archive, only the places of that one packing are named.

if(DEFINED SKBUILD)
  set(_numpact_fetch MISSING)
else()
  set(_numpact_fetch OFF)
endif()
set(NUMPACT_FETCH_DEPENDENCIES ${_numpact_fetch} CACHE STRING
  "Download what numpact is built with: OFF, MISSING (what is not found) or ALWAYS")
set_property(CACHE NUMPACT_FETCH_DEPENDENCIES PROPERTY STRINGS OFF MISSING ALWAYS)

if(NUMPACT_FETCH_DEPENDENCIES AND NUMPACT_INSTALL)
  message(FATAL_ERROR "What numpact is built with must be installed for numpact to be installed: "
    "NUMPACT_FETCH_DEPENDENCIES and NUMPACT_INSTALL exclude each other")
endif()

set(_numpact_debian https://deb.debian.org/debian/pool/main)
set(_numpact_snapshot https://snapshot.debian.org/archive/debian/20250520T000000Z/pool/main)

# numpact_package(NAME TARGET target SHA256 sum URLS places... [HEADERS folder] [DEFINE macro]
#                 [LIBRARY target] [OPTIONS name=value...])
# HEADERS: nothing is built, `target` is the headers in this folder. Else the package's own CMake
# files are used with these options, and `target` is its target LIBRARY. DEFINE: for those that
# include the headers, or for the package's own sources.
macro(numpact_package name)
  set(_numpact_package_${name} ${ARGN})
endmacro()

# Kernels do not support vectors of unknown length, and GCC 12 lacks the header for those of RISC-V.
numpact_package(Highway TARGET Highway::highway LIBRARY hwy
  SHA256 7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343
  URLS https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz
       ${_numpact_debian}/h/highway/highway_1.2.0.orig.tar.gz
  DEFINE HWY_DISABLED_TARGETS=HWY_RVV
  OPTIONS HWY_ENABLE_TESTS=OFF HWY_ENABLE_EXAMPLES=OFF HWY_ENABLE_CONTRIB=OFF
          HWY_ENABLE_INSTALL=OFF HWY_CMAKE_RVV=OFF)
# Libdeflate asks for the feature evex512 by name, which clang 22 lacks, unless it has this macro.
numpact_package(Libdeflate TARGET Libdeflate::libdeflate LIBRARY libdeflate_static
  SHA256 1ab18349b9fb0ce8a0ca4116bded725be7dcbfa709e19f6f983d99df1fb8b25f
  URLS https://github.com/ebiggers/libdeflate/archive/refs/tags/v1.23.tar.gz
       ${_numpact_debian}/libd/libdeflate/libdeflate_1.23.orig.tar.gz
  DEFINE __EVEX512__=1
  OPTIONS LIBDEFLATE_BUILD_SHARED_LIB=OFF LIBDEFLATE_BUILD_GZIP=OFF)
numpact_package(CLI11 TARGET CLI11::CLI11 HEADERS include
  SHA256 8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d
  URLS ${_numpact_debian}/c/cli11/cli11_2.1.2+ds.orig.tar.xz
       ${_numpact_snapshot}/c/cli11/cli11_2.1.2+ds.orig.tar.xz)
numpact_package(fmt TARGET fmt::fmt HEADERS include DEFINE FMT_HEADER_ONLY
  SHA256 84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583
  URLS ${_numpact_debian}/f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz
       ${_numpact_snapshot}/f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz)
numpact_package(nlohmann_json TARGET nlohmann_json::nlohmann_json HEADERS single_include
  SHA256 0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406
  URLS https://github.com/nlohmann/json/archive/refs/tags/v3.11.3.tar.gz
       ${_numpact_debian}/n/nlohmann-json3/nlohmann-json3_3.11.3.orig.tar.gz)

# Fetches the archive of a package and makes its target.
function(_numpact_fetch_package name)
  cmake_parse_arguments(package
    "" "TARGET;SHA256;HEADERS;DEFINE;LIBRARY" "URLS;OPTIONS" ${_numpact_package_${name}})
  message(STATUS "${name}: fetched")
  include(FetchContent)
  if(POLICY CMP0135)
    cmake_policy(SET CMP0135 NEW)
  endif()
  # The folder is one that no package has: its CMake files run below, or not at all.
  FetchContent_Declare(numpact_${name}
    URL ${package_URLS} URL_HASH SHA256=${package_SHA256} SOURCE_SUBDIR numpact-none)
  FetchContent_MakeAvailable(numpact_${name})
  string(TOLOWER numpact_${name} lower)
  if(package_HEADERS)
    add_library(numpact_fetched_${name} INTERFACE)
    target_include_directories(numpact_fetched_${name} SYSTEM INTERFACE
      ${${lower}_SOURCE_DIR}/${package_HEADERS})
    target_compile_definitions(numpact_fetched_${name} INTERFACE ${package_DEFINE})
    add_library(${package_TARGET} ALIAS numpact_fetched_${name})
    return()
  endif()
  foreach(option ${package_OPTIONS})
    string(REGEX MATCH "^([^=]+)=(.*)$" matched ${option})
    set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2} CACHE INTERNAL "")
  endforeach()
  set(BUILD_SHARED_LIBS OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_subdirectory(${${lower}_SOURCE_DIR} ${${lower}_BINARY_DIR} EXCLUDE_FROM_ALL)
  target_compile_options(${package_LIBRARY} PRIVATE -w)
  if(package_DEFINE)
    target_compile_definitions(${package_LIBRARY} PRIVATE ${package_DEFINE})
  endif()
  add_library(numpact_fetched_${name} INTERFACE)
  target_link_libraries(numpact_fetched_${name} INTERFACE ${package_LIBRARY})
  # Their headers are not ours to warn about.
  get_target_property(includes ${package_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(numpact_fetched_${name} SYSTEM INTERFACE ${includes})
  add_library(${package_TARGET} ALIAS numpact_fetched_${name})
endfunction()

macro(numpact_need name)
  if(NOT NUMPACT_FETCH_DEPENDENCIES)
    find_package(${name} REQUIRED)
  else()
    if(NOT NUMPACT_FETCH_DEPENDENCIES STREQUAL "ALWAYS")
      find_package(${name} QUIET)
    endif()
    if(NOT ${name}_FOUND)
      _numpact_fetch_package(${name})
    endif()
  endif()
endmacro()

# numpact_headers_of(TARGET RESULT): the include folders of a target and of those that it links.
function(numpact_headers_of target result)
  set(_folders "")
  get_target_property(_own ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(_own)
    list(APPEND _folders ${_own})
  endif()
  get_target_property(_links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(_link IN LISTS _links)
    if(TARGET ${_link})
      numpact_headers_of(${_link} _others)
      list(APPEND _folders ${_others})
    endif()
  endforeach()
  set(${result} ${_folders} PARENT_SCOPE)
endfunction()
