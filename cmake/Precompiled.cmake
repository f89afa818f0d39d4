# SPDX-License-Identifier: Apache-2.0
# Headers that are not ours, parsed once. The headers of a part are compiled where it asks for them,
# so a source still names all that it includes: a build with NUMPACT_PCH off proves it.

option(NUMPACT_PCH "Precompile headers" ${PROJECT_IS_TOP_LEVEL})
# In a shared build the tests and what they share differ in their options. GCC 12 for Arm crashes in
# arm_sve.h behind a precompiled header.
if(BUILD_SHARED_LIBS OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm)"))
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

# Sources of the tool and of tests spend most of the compiler's time on the headers that they share.
# A source still names all that it includes: a build with NUMPACT_UNITY off proves it.
option(NUMPACT_UNITY "Compile several sources of the tool and of tests together"
  ${PROJECT_IS_TOP_LEVEL})

# numpact_unite(TARGET): eight sources at a time, so that a change costs seconds, and two processors
# have work.
function(numpact_unite target)
  if(NUMPACT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# numpact_apart(SOURCES...): they declare names that others of their target have, too.
function(numpact_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
