# SPDX-License-Identifier: Apache-2.0
# numpact_add_test(NAME [WHOLE] [COST N] SOURCES...): a GoogleTest program over the library's
# objects, which makes hidden symbols and the headers of src/ reachable. Does nothing where tests
# are off. ctest starts it for each case, or once (WHOLE) where cases take less time than a process
# does; the cases are then in reports/NAME.xml, which tools/test_totals.py counts. COST: the
# seconds of the longest case, so that no processor is left with it at the end.

# Fixtures that lie in archives, since they are many small files. numpact_unpack_fixtures() unpacks
# them into fixtures/ of the build folder.
function(numpact_unpack_fixtures)
  get_property(is_done GLOBAL PROPERTY numpact_fixtures_are_unpacked)
  if(is_done)
    return()
  endif()
  foreach(archive cvc/arrays.npz cvc/bad.zip cvc/files.zip pco/made.zip)
    set(path ${PROJECT_SOURCE_DIR}/tests/fixtures/${archive})
    get_filename_component(folder ${archive} DIRECTORY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(ARCHIVE_EXTRACT INPUT ${path} DESTINATION ${PROJECT_BINARY_DIR}/fixtures/${folder})
  endforeach()
  set_property(GLOBAL PROPERTY numpact_fixtures_are_unpacked TRUE)
endfunction()

# Compiling tests takes longer than running them.
set(numpact_test_options $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O0>
  # New versions of Clang warn of int where a size is meant; GCC does not, in C++.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)

if(NUMPACT_BUILD_TESTS)
  enable_testing()
  set(NUMPACT_GTEST_SOURCE "" CACHE PATH "GoogleTest's sources, where no built one is to be used")
  if(NUMPACT_GTEST_SOURCE)
    add_subdirectory(${NUMPACT_GTEST_SOURCE} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
    foreach(_numpact_part gtest gmock gmock_main)
      target_compile_options(${_numpact_part} PRIVATE -w)
      if(NOT TARGET GTest::${_numpact_part})
        add_library(GTest::${_numpact_part} ALIAS ${_numpact_part})
      endif()
      get_target_property(_numpact_includes ${_numpact_part} INTERFACE_INCLUDE_DIRECTORIES)
      set_target_properties(${_numpact_part} PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_numpact_includes}")
    endforeach()
  else()
    find_package(GTest CONFIG REQUIRED)
  endif()
  include(GoogleTest)

  set(_numpact_test_pch ${CMAKE_CURRENT_BINARY_DIR}/test_pch.cpp)
  file(CONFIGURE OUTPUT ${_numpact_test_pch} CONTENT "// Carries the precompiled headers.\n")
  add_library(numpact_test_pch OBJECT EXCLUDE_FROM_ALL ${_numpact_test_pch})
  target_link_libraries(numpact_test_pch PRIVATE GTest::gtest)
  target_compile_options(numpact_test_pch PRIVATE ${numpact_test_options})
  numpact_precompile(numpact_test_pch
    <gtest/gtest.h> <algorithm> <bit> <cmath> <cstdint> <cstring> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <optional> <random> <span> <string> <thread> <vector>)
endif()

# Where sizes have 32 bits, 64-bit counts of tests, which they make themselves, may become sizes.
function(numpact_relax_tests name)
  if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    target_compile_options(${name} PRIVATE
      "$<$<CXX_COMPILER_ID:GNU,Clang>:-Wno-conversion;-Wno-narrowing>")
  endif()
endfunction()

# numpact_compile_for_tests(TARGET): what tests alone use need not be fast; the library, which they
# test, is compiled as it is for users.
function(numpact_compile_for_tests target)
  target_compile_options(${target} PRIVATE ${numpact_test_options})
endfunction()

function(numpact_add_test name)
  if(NOT NUMPACT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 test "WHOLE" "COST" "")
  add_executable(${name} ${test_UNPARSED_ARGUMENTS})
  numpact_precompiled_as(${name} numpact_test_pch)
  numpact_unite(${name})
  numpact_compile_for_tests(${name})
  target_link_libraries(${name} PRIVATE
    numpact_objects numpact_highway numpact_libdeflate numpact_requested_target Threads::Threads
    GTest::gmock_main)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE
    NUMPACT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures")
  numpact_relax_tests(${name})
  # Thousands of damaged files take ten times as long where each access is checked.
  set(timeout 300)
  if(NUMPACT_SANITIZE)
    set(timeout 3000)
  endif()
  if(NOT test_COST)
    set(test_COST 1)
  endif()
  set(properties TIMEOUT ${timeout} COST ${test_COST})
  if(test_WHOLE)
    add_test(NAME ${name}
      COMMAND ${name} --gtest_output=xml:${PROJECT_BINARY_DIR}/reports/${name}.xml)
    set_tests_properties(${name} PROPERTIES ${properties})
  else()
    gtest_discover_tests(${name}
      DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}. PROPERTIES ${properties})
  endif()
endfunction()
