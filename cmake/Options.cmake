# SPDX-License-Identifier: Apache-2.0
# As a part of another project numpact is the library alone.

include(GNUInstallDirs)

option(NUMPACT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(NUMPACT_BUILD_CLI "Build the command line tool" ${PROJECT_IS_TOP_LEVEL})
option(NUMPACT_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(NUMPACT_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(NUMPACT_BUILD_FUZZ "Build the fuzz targets" ${NUMPACT_BUILD_TESTS})
option(NUMPACT_BUILD_PYTHON "Build the extension module of the Python package" OFF)
option(NUMPACT_INSTALL "Make the install target" ${PROJECT_IS_TOP_LEVEL})
option(NUMPACT_BUILD_CPCODEC "Build libcpcodec, the C binding by the names of the reference"
  ${PROJECT_IS_TOP_LEVEL})
option(NUMPACT_BUILD_HDF5 "Build the plug-in of HDF5 and netCDF for the Python package" OFF)
option(NUMPACT_BUILD_WASM "Build the WebAssembly modules (cmake/toolchains/wasi.cmake)" OFF)
option(NUMPACT_WERROR "Treat warnings as errors" OFF)
option(BUILD_SHARED_LIBS "Build libnumpact as a shared library" OFF)
option(NUMPACT_BUILD_BOTH "With BUILD_SHARED_LIBS, make the static library, too" OFF)
option(NUMPACT_LIBDEFLATE "Compute CRC-32 by libdeflate; OFF: by numpact, several times as slowly"
  ON)

option(NUMPACT_EXCEPTIONS "OFF: the C interface alone, a library without exceptions and RTTI, of a \
single thread, for Pco and reading of CVC" ON)
option(NUMPACT_CVC "OFF: the library and the command without what is for vectors" ON)
option(NUMPACT_DECODE_ONLY "With NUMPACT_EXCEPTIONS=OFF: reading alone" OFF)

set(NUMPACT_PREBUILT "" CACHE PATH
  "A build folder of the same sources, whose static library is used in place of a new one")

set(NUMPACT_SANITIZE "" CACHE STRING "Sanitizers to build with")
set_property(CACHE NUMPACT_SANITIZE PROPERTY STRINGS
  "" address undefined address,undefined thread memory fuzzer-no-link,address,undefined)

# These parts use the interface for C++, or write.
if(NOT NUMPACT_EXCEPTIONS)
  foreach(_numpact_part TESTS CLI BENCH EXAMPLES FUZZ PYTHON CPCODEC HDF5)
    set(NUMPACT_BUILD_${_numpact_part} OFF)
  endforeach()
endif()
# These parts use vectors.
if(NOT NUMPACT_CVC)
  foreach(_numpact_part TESTS BENCH EXAMPLES FUZZ PYTHON WASM)
    set(NUMPACT_BUILD_${_numpact_part} OFF)
  endforeach()
endif()
if(NOT NUMPACT_EXCEPTIONS AND BUILD_SHARED_LIBS AND
   NOT CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  message(FATAL_ERROR "NUMPACT_EXCEPTIONS=OFF makes a shared library only where files have the \
format ELF")
endif()
if(NUMPACT_EXCEPTIONS AND NUMPACT_DECODE_ONLY)
  message(FATAL_ERROR "NUMPACT_DECODE_ONLY=ON needs NUMPACT_EXCEPTIONS=OFF")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Without optimisation numbers are encoded and decoded some ten times as slowly.
if(NOT PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CONFIGURATION_TYPES
   AND (NOT CMAKE_BUILD_TYPE OR CMAKE_BUILD_TYPE STREQUAL "Debug"))
  message(WARNING "numpact is built without optimisation: CMAKE_BUILD_TYPE is "
    "\"${CMAKE_BUILD_TYPE}\". Release and RelWithDebInfo optimise.")
endif()

# Adds the folder `name` where option `wanted` is on and the folder has a build file.
function(numpact_add_part name wanted)
  if(${wanted} AND EXISTS ${PROJECT_SOURCE_DIR}/${name}/CMakeLists.txt)
    add_subdirectory(${name})
  endif()
endfunction()
