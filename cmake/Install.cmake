# SPDX-License-Identifier: Apache-2.0
# Headers, library, CMake package, pkg-config file and tool.

include(CMakePackageConfigHelpers)

set(_numpact_package ${CMAKE_INSTALL_LIBDIR}/cmake/numpact)
get_target_property(_numpact_type numpact TYPE)
# Libraries that a C compiler does not link by itself.
set(NUMPACT_CXX_RUNTIME stdc++)
if("c++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  set(NUMPACT_CXX_RUNTIME c++)
endif()
set(_numpact_requires "")
if(NUMPACT_HIGHWAY_IS_LINKED)
  string(APPEND _numpact_requires " libhwy")
endif()
if(NUMPACT_LIBDEFLATE)
  string(APPEND _numpact_requires " libdeflate")
endif()
set(_numpact_runtime "-l${NUMPACT_CXX_RUNTIME} -lm")
if(NUMPACT_PLATFORM STREQUAL windows)
  string(APPEND _numpact_runtime " -lntdll")
endif()
if(_numpact_type STREQUAL "STATIC_LIBRARY")
  set(NUMPACT_STATIC ON)
  set(NUMPACT_PC_REQUIRES "Requires:${_numpact_requires}\n")
  if(NUMPACT_EXCEPTIONS)
    set(NUMPACT_PC_LIBS " -pthread")
  endif()
  # For programs in C.
  set(NUMPACT_PC_PRIVATE "Libs.private: ${_numpact_runtime}\n")
else()
  set(NUMPACT_STATIC OFF)
  set(NUMPACT_PC_CFLAGS " -DNUMPACT_SHARED")
  # Programs that link the shared library need none of these installed: pkg-config would ask for
  # them all the same, so they stand here only where there is a static library beside it.
  if(NUMPACT_BUILD_BOTH)
    set(NUMPACT_PC_PRIVATE
      "Requires.private:${_numpact_requires}\nLibs.private: -pthread ${_numpact_runtime}\n")
    install(TARGETS numpact_static)
  endif()
endif()

target_include_directories(numpact INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(numpact_highway PROPERTIES EXPORT_NAME highway)
set_target_properties(numpact_libdeflate PROPERTIES EXPORT_NAME libdeflate)
install(TARGETS numpact numpact_highway numpact_libdeflate EXPORT numpactTargets)
if(TARGET numpact_cuda)
  # A component of its own, so that programs that do not request it do not need CUDA.
  target_include_directories(numpact_cuda INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS numpact_cuda EXPORT numpactCudaTargets)
  install(EXPORT numpactCudaTargets NAMESPACE numpact:: DESTINATION ${_numpact_package})
else()
  set(_numpact_left_out PATTERN cuda.hpp EXCLUDE)
endif()
if(NOT NUMPACT_CVC)
  list(APPEND _numpact_left_out PATTERN cvc* EXCLUDE PATTERN collection* EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/numpact TYPE INCLUDE
  FILES_MATCHING PATTERN *.hpp PATTERN *.h ${_numpact_left_out})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
if(TARGET numpact_cli)
  install(TARGETS numpact_cli)
endif()

if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(_numpact_promise SameMinorVersion)
else()
  set(_numpact_promise SameMajorVersion)
endif()
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/numpactConfigVersion.cmake COMPATIBILITY ${_numpact_promise})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/numpactConfig.cmake.in ${PROJECT_BINARY_DIR}/numpactConfig.cmake
  INSTALL_DESTINATION ${_numpact_package})
install(EXPORT numpactTargets NAMESPACE numpact:: DESTINATION ${_numpact_package})
install(
  FILES
    ${PROJECT_BINARY_DIR}/numpactConfig.cmake
    ${PROJECT_BINARY_DIR}/numpactConfigVersion.cmake
    ${CMAKE_CURRENT_LIST_DIR}/FindHighway.cmake
    ${CMAKE_CURRENT_LIST_DIR}/FindLibdeflate.cmake
  DESTINATION ${_numpact_package})

# The way from the folder of numpact.pc to the prefix keeps the file valid where the tree is moved.
set(_numpact_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  message(FATAL_ERROR "CMAKE_INSTALL_LIBDIR and CMAKE_INSTALL_INCLUDEDIR must be relative")
endif()
file(RELATIVE_PATH NUMPACT_PC_PREFIX /${_numpact_pkgconfig} /)
string(REGEX REPLACE "/$" "" NUMPACT_PC_PREFIX "${NUMPACT_PC_PREFIX}")
configure_file(
  ${CMAKE_CURRENT_LIST_DIR}/numpact.pc.in ${PROJECT_BINARY_DIR}/numpact.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/numpact.pc DESTINATION ${_numpact_pkgconfig})
