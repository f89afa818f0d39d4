# SPDX-License-Identifier: Apache-2.0
# The library out of the build folder NUMPACT_PREBUILT: for the Python package in a work tree, where
# the library has just been compiled.

set(_numpact_archive ${NUMPACT_PREBUILT}/src/libnumpact.a)
if(NOT EXISTS ${_numpact_archive})
  message(FATAL_ERROR "NUMPACT_PREBUILT: there is no ${_numpact_archive}")
endif()
if(NUMPACT_BUILD_TESTS OR NUMPACT_BUILD_BENCH OR NUMPACT_INSTALL)
  message(FATAL_ERROR "NUMPACT_PREBUILT is for the Python package and the command alone")
endif()
add_library(numpact STATIC IMPORTED GLOBAL)
set_target_properties(numpact PROPERTIES IMPORTED_LOCATION ${_numpact_archive})
target_include_directories(numpact INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_compile_features(numpact INTERFACE cxx_std_20)
target_link_libraries(numpact INTERFACE
  numpact_highway numpact_libdeflate Threads::Threads)

# For the extension module: what was built with CUDA, where it was.
set(_numpact_cuda_archive ${NUMPACT_PREBUILT}/src/gpu/libnumpact_cuda.a)
if(NUMPACT_BUILD_PYTHON AND EXISTS ${_numpact_cuda_archive})
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND)
    add_library(numpact_cuda STATIC IMPORTED GLOBAL)
    set_target_properties(numpact_cuda PROPERTIES IMPORTED_LOCATION ${_numpact_cuda_archive})
    target_link_libraries(numpact_cuda INTERFACE numpact CUDA::cudart_static)
  endif()
endif()
