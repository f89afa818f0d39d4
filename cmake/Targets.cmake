# SPDX-License-Identifier: Apache-2.0
# The instruction sets that kernels are compiled for, by the names that cpu_targets() returns.
#   NUMPACT_SIMD_DEFINITIONS  what src/simd/targets.hpp is compiled with

set(_numpact_x86_targets avx512_vbmi2 avx512 avx2 sse4)
# The baseline of the compiler is compiled in every case.
set(_numpact_baselines scalar sse2 neon neon_without_aes wasm ppc8)

set(NUMPACT_SIMD_TARGETS "" CACHE STRING
  "Instruction sets above the baseline to compile kernels for; empty: all. One of, or a list of: \
avx512_vbmi2, avx512, avx2, sse4; scalar: the baseline alone")

set(NUMPACT_SIMD_DEFINITIONS "")
if(NUMPACT_SIMD_TARGETS)
  string(TOLOWER "${NUMPACT_SIMD_TARGETS}" _numpact_wanted)
  string(REPLACE "," ";" _numpact_wanted "${_numpact_wanted}")
  foreach(_numpact_target IN LISTS _numpact_wanted)
    if(NOT _numpact_target IN_LIST _numpact_x86_targets AND
       NOT _numpact_target IN_LIST _numpact_baselines)
      string(REPLACE ";" ", " _numpact_names "${_numpact_x86_targets};${_numpact_baselines}")
      message(FATAL_ERROR
        "NUMPACT_SIMD_TARGETS: there is no \"${_numpact_target}\", but ${_numpact_names}")
    endif()
  endforeach()
  foreach(_numpact_target IN LISTS _numpact_x86_targets)
    if(NOT _numpact_target IN_LIST _numpact_wanted)
      string(TOUPPER NUMPACT_WITHOUT_${_numpact_target} _numpact_definition)
      list(APPEND NUMPACT_SIMD_DEFINITIONS ${_numpact_definition})
    endif()
  endforeach()
endif()
