# SPDX-License-Identifier: Apache-2.0
# Finds Google Highway by its CMake package, else by pkg-config, and defines Highway::highway.
# Installed beside numpactConfig.cmake, which needs it for a static numpact.

find_package(HWY CONFIG QUIET)
if(TARGET hwy::hwy)
  set(_highway hwy::hwy)
  set(Highway_VERSION ${HWY_VERSION})
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(HIGHWAY QUIET IMPORTED_TARGET libhwy)
  endif()
  if(TARGET PkgConfig::HIGHWAY)
    set(_highway PkgConfig::HIGHWAY)
    set(Highway_VERSION ${HIGHWAY_VERSION})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Highway
  REQUIRED_VARS _highway
  VERSION_VAR Highway_VERSION
  REASON_FAILURE_MESSAGE "install libhwy-dev or Highway 1.0.3 or later")

if(Highway_FOUND AND NOT TARGET Highway::highway)
  add_library(Highway::highway INTERFACE IMPORTED)
  target_link_libraries(Highway::highway INTERFACE ${_highway})
endif()
