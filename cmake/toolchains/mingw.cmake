# SPDX-License-Identifier: Apache-2.0
# Windows on x86-64, by GCC of mingw-w64 with POSIX threads (Debian: g++-mingw-w64-x86-64-posix).
# Programs and DLLs need no DLL of the compiler. They run under wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)
find_program(NUMPACT_WINE NAMES wine64 wine64-stable wine PATHS /usr/lib/wine)
if(NUMPACT_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${NUMPACT_WINE})
endif()
