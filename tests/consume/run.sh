#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a moved prefix, then builds and runs a program that uses it.
#   run.sh BUILD_DIR [cmake|cuda|pkgconfig|subdirectory|subdirectory_whole]...
#   (cmake, pkgconfig and subdirectory when none is named)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-c++}
generator=(-G "$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")")

# The prefix moves after the install: nothing in it may know where it was.
install_moved() {
  [ -d "$work/prefix" ] && return
  cmake --install "$build" --prefix "$work/first" >"$work/install.log" ||
    { cat "$work/install.log"; return 1; }
  mv "$work/first" "$work/prefix"
}

configure_and_run() {
  cmake -S "$here/project" -B "$work/$1" "${generator[@]}" -DCMAKE_CXX_COMPILER="$cxx" "${@:2}"
  cmake --build "$work/$1" --target consumer
  "$work/$1/consumer"
}

way_cmake() {
  install_moved
  configure_and_run cmake -DCMAKE_PREFIX_PATH="$work/prefix"
}

# Where the build has CUDA.
way_cuda() {
  install_moved
  configure_and_run cuda -DCMAKE_PREFIX_PATH="$work/prefix" -DCONSUMER_CUDA=ON
}

way_pkgconfig() {
  install_moved
  local pc
  pc=$(find "$work/prefix" -name numpact.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # the flags are words
  "$cxx" -std=c++20 "$here/project/main.cpp" -o "$work/bare" $(pkg-config --cflags --libs numpact)
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir numpact) "$work/bare"
}

# As a part of another project, whose program links the library of the build folder.
way_subdirectory() {
  local options=(-DNUMPACT_SOURCE_DIR="$here/../.." -DCMAKE_BUILD_TYPE=Debug)
  if [ ! -e "$build/src/libnumpact.a" ]; then
    way_subdirectory_whole
    return
  fi
  cmake -S "$here/project" -B "$work/configured" "${generator[@]}" \
    -DCMAKE_CXX_COMPILER="$cxx" "${options[@]}"
  configure_and_run subdirectory "${options[@]}" -DNUMPACT_PREBUILT="$build"
}

# The same with a library of its own.
way_subdirectory_whole() {
  configure_and_run whole -DNUMPACT_SOURCE_DIR="$here/../.." -DCMAKE_BUILD_TYPE=Debug
}

for way in "${@:-cmake pkgconfig subdirectory}"; do
  for one in $way; do
    "way_$one"
    echo "consume $one: ok"
  done
done
