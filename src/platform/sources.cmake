# SPDX-License-Identifier: Apache-2.0
# Sources that differ between systems: the same subjects, once for each system.
#   numpact_platform_sources       what the library uses; without exceptions the pages alone, since
#                                  it has no threads then and opens no files
#   numpact_platform_tool_sources  what the command line tool uses besides

set(_numpact_platform posix)
if(WIN32)
  set(_numpact_platform windows)
endif()
set(NUMPACT_PLATFORM ${_numpact_platform} CACHE STRING
  "The folder of src/platform that is compiled: posix or windows")
mark_as_advanced(NUMPACT_PLATFORM)

set(numpact_posix_sources
  posix/files.cpp
  posix/folders.cpp
  posix/locks.cpp
  posix/mapped_files.cpp
  posix/pages.cpp
  posix/paths.cpp
  posix/processes.cpp
  posix/replacement.cpp
  temporary.cpp
)
set(numpact_posix_tool_sources
  posix/environment.cpp
  posix/program.cpp
  posix/temporary.cpp
  posix/terminal.cpp
)
set(numpact_windows_sources
  temporary.cpp
  windows/errors.cpp
  windows/files.cpp
  windows/folders.cpp
  windows/locks.cpp
  windows/mapped_files.cpp
  windows/pages.cpp
  windows/paths.cpp
  windows/processes.cpp
  windows/replacement.cpp
)
set(numpact_windows_tool_sources
  windows/environment.cpp
  windows/program.cpp
  windows/temporary.cpp
  windows/terminal.cpp
)
# Libraries that the tool's sources link.
set(NUMPACT_PLATFORM_LIBRARIES "")
if(NUMPACT_PLATFORM STREQUAL windows)
  set(NUMPACT_PLATFORM_LIBRARIES ntdll shell32)
endif()
foreach(_numpact_kind sources tool_sources)
  set(numpact_platform_${_numpact_kind} ${numpact_${NUMPACT_PLATFORM}_${_numpact_kind}})
  if(NOT NUMPACT_EXCEPTIONS)
    list(FILTER numpact_platform_${_numpact_kind} INCLUDE REGEX "/pages\\.cpp$")
  endif()
  list(TRANSFORM numpact_platform_${_numpact_kind} PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
endforeach()
