# SPDX-License-Identifier: Apache-2.0
# A port for a registry of your own: it builds the tree that this file is in. For the public
# registry, replace SOURCE_PATH by vcpkg_from_github with the release and its SHA-512.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DNUMPACT_BUILD_TESTS=OFF -DNUMPACT_BUILD_CLI=OFF -DNUMPACT_BUILD_BENCH=OFF
    -DNUMPACT_BUILD_EXAMPLES=OFF -DNUMPACT_BUILD_FUZZ=OFF
    -DNUMPACT_BUILD_CPCODEC=OFF -DNUMPACT_CUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/numpact)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE
  "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
