# SPDX-License-Identifier: Apache-2.0
# The second decoders, which know nothing of src/ and include/: numpact_second.
include_guard(DIRECTORY)

if(NOT TARGET numpact_second)
  set(numpact_second_sources cvc_file.cpp cvc_pco.cpp cvc_values.cpp json_plain.cpp pco_bins.cpp
    pco_chunk.cpp pco_deltas.cpp pco_file.cpp pco_modes.cpp pco_numbers.cpp pco_page.cpp)
  list(TRANSFORM numpact_second_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  add_library(numpact_second STATIC ${numpact_second_sources})
  target_include_directories(numpact_second PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(numpact_second PRIVATE numpact_libdeflate)
  numpact_apart(${CMAKE_CURRENT_LIST_DIR}/pco_file.cpp)
  numpact_unite(numpact_second)
  # It decodes damaged files by the thousand.
  target_compile_options(numpact_second PRIVATE
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)
endif()
