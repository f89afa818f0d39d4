# SPDX-License-Identifier: Apache-2.0
if(NUMPACT_SANITIZE)
  add_compile_options(
    -fsanitize=${NUMPACT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers GCC 12 sees uninitialised members in every std::optional, and short strings
    # overrun.
    add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
    if(NUMPACT_SANITIZE MATCHES undefined)
      add_compile_options(-fsanitize=float-cast-overflow) # Clang's set has it
    endif()
  endif()
  if(NUMPACT_SANITIZE MATCHES fuzzer)
    # With all checks Clang 14 takes minutes for some kernels; AddressSanitizer sees these anyway.
    add_compile_options(-fno-sanitize=null)
  endif()
  add_link_options(-fsanitize=${NUMPACT_SANITIZE})
endif()
