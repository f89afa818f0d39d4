# SPDX-License-Identifier: Apache-2.0
# Language level, symbol visibility, run paths and warnings of everything in this tree.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# Each function in a section of its own: a linker that collects garbage leaves the encoder out of a
# program that only decodes.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections;-fdata-sections>")
endif()
if(BUILD_SHARED_LIBS)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

# An installed tool finds libnumpact beside itself, and libraries outside the system by full path.
if(PROJECT_IS_TOP_LEVEL AND UNIX AND NOT APPLE AND NOT DEFINED SKBUILD)
  set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# The 64-bit Windows ABI aligns the stack to 16 bytes, and GCC takes it for aligned to more where it
# keeps AVX vectors there (GCC bug 54412). So no move of a vector asks for alignment.
if(MINGW AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wa,-muse-unaligned-vector-move)
endif()

# Products are rounded before sums, on every processor: the format fixes the bits. Microsoft's own
# compiler does so by default.
set(NUMPACT_EXACT_ARITHMETIC -ffp-contract=off)
if(MSVC)
  # Sources are UTF-8, and kernels have more sections than the older format of objects.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:/utf-8;/bigobj;/permissive-;/Zc:__cplusplus>")
  add_compile_definitions(NOMINMAX _CRT_SECURE_NO_WARNINGS)
  set(NUMPACT_EXACT_ARITHMETIC $<$<CXX_COMPILER_ID:Clang>:/clang:-ffp-contract=off>)
  if(NUMPACT_WERROR)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:/WX>)
  endif()
  return()
endif()

if(PROJECT_IS_TOP_LEVEL OR NUMPACT_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>")
endif()
# GCC, which checks the builds for other 32-bit machines, gives none of these warnings.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  add_compile_options(-Wno-sign-conversion -Wno-shorten-64-to-32 -Wno-pragma-clang-attribute)
endif()
if(NUMPACT_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
