#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verbs of ./dev for other systems, compilers and processors; ./dev sources this file and has the
# functions and variables that it uses. docs/platforms.md says what each verb shows.
# shellcheck disable=SC2154 # variables of ./dev

do_qemu() {
  need_packages qemu-user googletest g++-aarch64-linux-gnu g++-s390x-linux-gnu \
    g++-arm-linux-gnueabihf g++-riscv64-linux-gnu g++-powerpc64le-linux-gnu g++-i686-linux-gnu
  NUMPACT_JOBS=$JOBS tools/qemu.sh "$@"
}

# Its own packages of C++: those of Debian are built with libstdc++.
do_libcxx() {
  need_packages "${BUILD_PACKAGES[@]}" googletest clang-19 libc++-19-dev libc++abi-19-dev
  need_build_venv
  build libcxx
  run_ctest libcxx "$@"
}

do_zig() {
  need_packages cmake ninja-build googletest qemu-user binutils
  need_build_venv
  NUMPACT_JOBS=$JOBS NUMPACT_PYTHON=$PYTHON tools/zig.sh "$@"
}

do_wheels() {
  need_packages cmake ninja-build python3-dev python3-venv
  need_venv
  NUMPACT_JOBS=$JOBS NUMPACT_PYTHON=$PYTHON tools/wheels.sh "$@"
}

do_windows() {
  need_packages googletest g++-mingw-w64-x86-64-posix wine64
  need_to_build
  NUMPACT_JOBS=$JOBS tools/windows.sh "$@"
}

# The files that the tests read are made by the command and the Python package of this machine.
do_wasm() {
  local packages
  mapfile -t packages < <(sed 's/#.*//;/^ *$/d' integrations/js/packages.txt)
  need_packages "${BUILD_PACKAGES[@]}" "${packages[@]}"
  NUMPACT_JOBS=$JOBS tools/wasm.sh build
  need_python_package
  need_more_packages integrations/js/requirements.txt
  build release numpact_cli
  tools/wasm.sh test "$@"
  do_docs
  tools/wasm.sh page
}
