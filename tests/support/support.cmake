# SPDX-License-Identifier: Apache-2.0
# A library that the test programs share. numpact_test(NAME SOURCES...) is numpact_add_test
# with it.
include_guard(DIRECTORY)

if(NOT TARGET numpact_test_support)
  numpact_unpack_fixtures()
  set(numpact_support_sources distributions.cpp fixtures.cpp numbers.cpp small_files.cpp
    ${NUMPACT_PLATFORM}/system.cpp)
  list(TRANSFORM numpact_support_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  # posix/system.cpp windows/system.cpp
  add_library(numpact_test_support STATIC ${numpact_support_sources})
  target_include_directories(numpact_test_support PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(numpact_test_support PUBLIC numpact::numpact GTest::gtest)
  numpact_relax_tests(numpact_test_support)
  numpact_unite(numpact_test_support)
  numpact_compile_for_tests(numpact_test_support)
  target_compile_definitions(numpact_test_support PRIVATE
    NUMPACT_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures"
    NUMPACT_UNPACKED="${PROJECT_BINARY_DIR}/fixtures")
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(numpact_test_support PRIVATE NUMPACT_SHARED)
  endif()
endif()

function(numpact_test name)
  numpact_add_test(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE NUMPACT_UNPACKED="${PROJECT_BINARY_DIR}/fixtures")
  target_link_libraries(${name} PRIVATE numpact_test_support)
endfunction()
