# SPDX-License-Identifier: Apache-2.0
# numpact_add_test(NAME SOURCES...): a GoogleTest program over the library's objects, which makes
# hidden symbols and the headers of src/ reachable. Does nothing where tests are off.

if(NUMPACT_BUILD_TESTS)
  enable_testing()
  find_package(GTest CONFIG REQUIRED)
  include(GoogleTest)
endif()

function(numpact_add_test name)
  if(NOT NUMPACT_BUILD_TESTS)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE
    numpact_objects numpact_highway numpact_libdeflate Threads::Threads GTest::gmock_main)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE
    NUMPACT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures")
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}. PROPERTIES TIMEOUT 300)
endfunction()
