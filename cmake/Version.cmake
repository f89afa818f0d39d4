# SPDX-License-Identifier: Apache-2.0
# The version has one place, include/numpact/version.hpp.
#   NUMPACT_VERSION  major.minor.patch
#   NUMPACT_ABI      what the soname carries: major.minor while major is 0, then major

set(_numpact_version_file ${CMAKE_CURRENT_LIST_DIR}/../include/numpact/version.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_numpact_version_file})
file(READ ${_numpact_version_file} _numpact_version_text)

foreach(part MAJOR MINOR PATCH)
  if(NOT _numpact_version_text MATCHES "#define NUMPACT_VERSION_${part} +([0-9]+)")
    message(FATAL_ERROR "NUMPACT_VERSION_${part} is missing in ${_numpact_version_file}")
  endif()
  set(_numpact_${part} ${CMAKE_MATCH_1})
endforeach()

set(NUMPACT_VERSION ${_numpact_MAJOR}.${_numpact_MINOR}.${_numpact_PATCH})
if(_numpact_MAJOR EQUAL 0)
  set(NUMPACT_ABI 0.${_numpact_MINOR})
else()
  set(NUMPACT_ABI ${_numpact_MAJOR})
endif()
