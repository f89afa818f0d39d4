# SPDX-License-Identifier: Apache-2.0
# Headers that are not ours, parsed once. The headers of a part are compiled where it asks for them,
# so a source still names all that it includes: a build with NUMPACT_PCH off proves it.

option(NUMPACT_PCH "Precompile headers" ${PROJECT_IS_TOP_LEVEL})
# In a shared build the tests and what they share differ in their options. GCC 12 for Arm crashes in
# arm_sve.h behind a precompiled header. GCC 12 for POWER refuses one, because its option
# -mpower8-fusion-sign differs where the header is used.
# Without exceptions a header of ours comes first.
if(BUILD_SHARED_LIBS OR NOT NUMPACT_EXCEPTIONS OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm|ppc)"))
  set(NUMPACT_PCH OFF)
endif()

# numpact_precompile(TARGET HEADERS...): "<algorithm>" and others like it.
function(numpact_precompile target)
  if(NUMPACT_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# numpact_precompiled_as(TARGET OTHER): the precompiled headers of a target of the same options.
function(numpact_precompiled_as target other)
  if(NUMPACT_PCH)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# The compiler spends much of its time on the headers that sources share.
# A source still names all that it includes: a build with NUMPACT_UNITY off proves it.
option(NUMPACT_UNITY "Compile several sources together"
  ${PROJECT_IS_TOP_LEVEL})

# numpact_unite(TARGET): eight sources at a time, so that a change costs seconds, and two processors
# have work.
function(numpact_unite target)
  if(NUMPACT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # It takes the unnamed namespace of a source that is included for that of a header.
    target_compile_options(${target} PRIVATE
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
  endif()
endfunction()

# numpact_apart(SOURCES...): they declare names that others of their target have, too.
function(numpact_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# numpact_unite_kernels(TARGET NAME SOURCES...): compiles kernels together, once for each
# instruction set. Parsing Highway takes most of the time of a small kernel. Highway includes the
# file that HWY_TARGET_INCLUDE names once for each instruction set; here that file includes all of
# these kernels. A kernel sets the macro to its own name, so the macro is restored after each.
# Compile options of single sources do not apply here: a kernel that has some must not be listed.
function(numpact_unite_kernels target name)
  if(NOT NUMPACT_UNITY OR NOT ARGN)
    return()
  endif()
  set(_file ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}.cpp)
  set(_text "#include \"simd/targets.hpp\"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \"${_file}\"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
")
  foreach(_kernel IN LISTS ARGN)
    string(APPEND _text "#pragma push_macro(\"HWY_TARGET_INCLUDE\")
#include \"${_kernel}\"
#pragma pop_macro(\"HWY_TARGET_INCLUDE\")
")
  endforeach()
  file(CONFIGURE OUTPUT ${_file} CONTENT "${_text}" @ONLY)
  target_sources(${target} PRIVATE ${_file})
  numpact_apart(${_file})
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
endfunction()
