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
  need_packages cmake ninja-build python3-dev python3-venv qemu-user
  need_venv
  NUMPACT_JOBS=$JOBS NUMPACT_PYTHON=$PYTHON tools/wheels.sh "$@"
}

# Tests of the command make some of their files with the Python package of this machine.
do_windows() {
  need_packages googletest g++-mingw-w64-x86-64-posix wine64
  need_to_build
  need_python_package
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
  tools/wasm.sh browser
}

# Kernels on a GPU, by C++ and by Python; then their memory accesses and races, where NVIDIA's tool
# is installed.
do_gpu() {
  local test tool venv=$PWD/build/venvs/gpu
  do_build release
  for test in cvc_device_test pco_device_test; do
    [ -x "build/release/tests/gpu/$test" ] || die "no $test: it is built where nvcc is found"
    "build/release/tests/gpu/$test"
  done
  need_python_package
  [ -x "$venv/bin/python" ] || quietly "$PYTHON" -m venv "$venv"
  retry "$venv/bin/python" -m pip install -q --disable-pip-version-check torch triton \
    cupy-cuda13x pytest nanobind-backend || die "pip install failed"
  quietly "$venv/bin/python" -m pip install --no-deps --force-reinstall \
    --disable-pip-version-check "$WHEELS"/numpact-*.whl || die "installing the package failed"
  "$venv/bin/python" -m pytest -q -c tests/pytest.ini tests/python/core/test_on_gpu.py \
    tests/python/core/test_device.py tests/python/cvc/test_devices.py \
    tests/python/cvc/test_gpu.py tests/python/cvc/test_triton_code.py
  command -v compute-sanitizer >/dev/null || die "compute-sanitizer was not found"
  for tool in memcheck racecheck; do
    for test in cvc_device_test pco_device_test; do
      compute-sanitizer --tool "$tool" --error-exitcode 1 "build/release/tests/gpu/$test" \
        --gtest_filter=-*Millions*
    done
  done
}

# prepare COMMIT [COUNT]: builds the programs of this tree and of a commit, and makes ten columns of
# COUNT numbers. It needs nvcc, but no GPU. Without arguments: the round, tools/gpu_round.py.
do_gpu_round() {
  [ "${1:-}" = prepare ] || { python3 tools/gpu_round.py; return; }
  local commit=${2:?the commit to compare with} count=${3:-16777216} root=build/gpu-round
  need_to_build
  build release pco_device_test cvc_device_test bench_gpu_pco
  need_python_package
  rm -rf "$root"
  mkdir -p "$root/before"
  git archive --prefix=source/ "$commit" | tar -x -C "$root"
  quietly cmake -G Ninja -S "$root/source" -B "$root/build" -DCMAKE_BUILD_TYPE=Release \
    -DNUMPACT_CUDA=ON -DNUMPACT_CUDA_ARCHITECTURES=80-virtual -DNUMPACT_BUILD_TESTS=OFF \
    -DNUMPACT_BUILD_CLI=OFF -DNUMPACT_ARROW=OFF ||
    die "configuring $commit failed"
  quietly cmake --build "$root/build" -j "$JOBS" --target bench_gpu_pco ||
    die "building $commit failed"
  cp "$root/build/bench/bench_gpu_pco" "$root/before/"
  rm -rf "$root/source" "$root/build"
  "$PYTHON" bench/gpu.py --make "$root" --count "$count" --types i64,f64,i32 --columns "$(paste \
    -sd, <<'COLUMNS'
i64 classic none
i64 classic consecutive=1
i64 classic lookback
i64 int_mult consecutive=1
f64 classic none
f64 float_mult consecutive=1
f64 float_mult lookback
f64 float_quant consecutive=7
f64 dict consecutive=1
i32 classic conv1=8
COLUMNS
)"
  du -sh "$root"
}

# A Python from 3.13 on, of the system or of pyenv: the newest.
newest_python() {
  local found
  for found in /usr/bin/python3.* /usr/local/bin/python3.* ~/.pyenv/versions/*/bin/python3.*; do
    [ -x "$found" ] || continue
    "$found" -c 'import sys
sys.version_info < (3, 13) and sys.exit(1)
print(sys.version_info[1], sys.executable)' 2>/dev/null || true
  done | sort -n | tail -1 | cut -d ' ' -f 2-
}

# requirements-dev.txt pins what `./dev test` uses; users install the newest releases. Of the tests
# of engines those run whose programs are Python packages. With --recorded, as in .ci/run, packages
# have the versions of the last run without it, so that a release of others fails no change of ours.
do_world() {
  local root=build/world engines=$PWD/build/engines record=tools/world_packages.txt
  local python venv status=0 packages versions=(--upgrade) lists
  lists=(integrations/hdf5/{packages,other_programs}.txt) # 300 MB, which .ci/run does without
  if [ "${1:-}" = --recorded ]; then
    versions=(-c "$record")
    lists=("${lists[0]}")
    shift
  fi
  python=$(newest_python)
  [ -n "$python" ] || { echo "world: not run, there is no Python 3.13 or newer here"; return 0; }
  need_to_build
  mapfile -t packages < <(grep -hv '^#' "${lists[@]}")
  need_packages "${packages[@]}"
  build release
  need_wheel
  need_engine_libraries "$engines"
  venv=$root/venv
  mkdir -p $root
  [ "$(cat $root/python 2>/dev/null)" = "$python" ] || rm -rf $venv
  [ -x $venv/bin/python ] || quietly "$python" -m venv $venv
  echo "$python" >$root/python
  sed 's/[=<>~!].*//' requirements-dev.txt >$root/wanted.txt
  retry $venv/bin/python -m pip install -q "${versions[@]}" --disable-pip-version-check \
    -r $root/wanted.txt faiss-cpu usearch hnswlib zarrs h5py hdf5plugin netCDF4 h5netcdf kerchunk \
    pyfive virtualizarr ||
    die "pip install failed"
  quietly $venv/bin/python -m pip install --no-deps --force-reinstall --disable-pip-version-check \
    "$WHEELS"/numpact-*.whl || die "installing the Python package failed"
  $venv/bin/python -VV
  $venv/bin/python -m pip list --format=freeze --disable-pip-version-check | grep -v '^numpact=' |
    tee $root/packages.txt
  [ "${versions[0]}" = -c ] || cp $root/packages.txt $record
  export NUMPACT_CLI=$PWD/$CLI NUMPACT_ENGINES=$engines
  NUMPACT_WHEEL=$(echo "$PWD"/$WHEELS/numpact-*.whl) \
    $venv/bin/python -m pytest -q tests/python -m 'not slow' -n "$JOBS" --dist loadfile "$@" ||
    status=1
  # The other build for DuckDB, of test_duckdb.py, is for one older version.
  $venv/bin/python -m pytest -q tests/engines/test_{hdf5{,_import,_tools},netcdf,duckdb_stable}.py \
    -n "$JOBS" --dist loadfile "$@" || [ $? -eq 5 ] || status=1 # 5: all were left out
  return $status
}
