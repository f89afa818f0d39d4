# SPDX-License-Identifier: Apache-2.0
# Arrow and Parquet for the command line tool, the only part that reads tables.
# Looks for an installed Arrow C++, then for the libraries inside a pyarrow wheel.
# Always defines numpact_arrow; with Arrow it links both libraries and sets NUMPACT_HAVE_ARROW=1.

set(NUMPACT_ARROW AUTO CACHE STRING "Read Parquet and Arrow files: AUTO, ON or OFF")
set_property(CACHE NUMPACT_ARROW PROPERTY STRINGS AUTO ON OFF)
set(NUMPACT_PYTHON "" CACHE FILEPATH "Python with pyarrow; empty: that of .venv")

# Defines numpact_wheel_<name> from lib<name>.so.N in `folder`.
function(numpact_wheel_library name folder include)
  file(GLOB found ${folder}/lib${name}.so.[0-9]*)
  list(FILTER found INCLUDE REGEX "\\.so\\.[0-9]+$")
  if(found)
    list(GET found 0 library)
    add_library(numpact_wheel_${name} SHARED IMPORTED)
    set_target_properties(numpact_wheel_${name} PROPERTIES
      IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES ${include})
  endif()
endfunction()

# Sets `result` to the link libraries of an installed Arrow C++, or to nothing.
function(numpact_find_installed_arrow result)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  foreach(kind shared static)
    if(TARGET Arrow::arrow_${kind} AND TARGET Parquet::parquet_${kind})
      set(${result} Parquet::parquet_${kind} Arrow::arrow_${kind} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Sets `result` to the link libraries inside a pyarrow wheel, or to nothing. The wheel may be in the
# tree that is built, which an installed tool must not depend on: the libraries are installed in a
# folder of the tool's own, and found in the same one of the build tree.
function(numpact_find_wheel_arrow result)
  set(python ${NUMPACT_PYTHON})
  if(NOT python)
    set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  if(NOT EXISTS ${python})
    return()
  endif()
  execute_process(
    COMMAND ${python} -c
      "import pyarrow as a; print(a.get_include(), a.get_library_dirs()[0], sep=';', end='')"
    OUTPUT_VARIABLE paths RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    return()
  endif()
  list(GET paths 0 include)
  list(GET paths 1 folder)
  numpact_wheel_library(arrow ${folder} ${include})
  numpact_wheel_library(parquet ${folder} ${include})
  if(TARGET numpact_wheel_arrow AND TARGET numpact_wheel_parquet)
    set(${result} numpact_wheel_parquet numpact_wheel_arrow PARENT_SCOPE)
    set(own ${CMAKE_INSTALL_LIBDIR}/numpact)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${own})
    foreach(library numpact_wheel_arrow numpact_wheel_parquet)
      get_target_property(file ${library} IMPORTED_LOCATION)
      get_filename_component(name ${file} NAME)
      file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/${own}/${name} COPY_ON_ERROR SYMBOLIC)
      list(APPEND files ${file})
    endforeach()
    if(NUMPACT_INSTALL)
      install(FILES ${files} DESTINATION ${own})
    endif()
    set(CMAKE_INSTALL_RPATH ${CMAKE_INSTALL_RPATH} $ORIGIN/../${own} PARENT_SCOPE)
  endif()
endfunction()

add_library(numpact_arrow INTERFACE)
set(_numpact_arrow "")
if(NUMPACT_ARROW)
  numpact_find_installed_arrow(_numpact_arrow)
  if(NOT _numpact_arrow)
    numpact_find_wheel_arrow(_numpact_arrow)
  endif()
endif()

if(_numpact_arrow)
  target_link_libraries(numpact_arrow INTERFACE ${_numpact_arrow})
  target_compile_definitions(numpact_arrow INTERFACE NUMPACT_HAVE_ARROW=1)
  message(STATUS "Arrow: ${_numpact_arrow}")
elseif(NUMPACT_ARROW AND NOT NUMPACT_ARROW STREQUAL "AUTO")
  message(FATAL_ERROR "NUMPACT_ARROW is ON, but neither Arrow C++ nor a pyarrow wheel was found")
else()
  message(STATUS "Arrow: none, the command line tool reads no Parquet")
endif()
