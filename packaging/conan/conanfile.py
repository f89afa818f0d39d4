# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe: builds the amalgamation, which contains all that it needs.

conan create packaging/conan
"""

import os
import re
import subprocess
import sys

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class NumpactConan(ConanFile):
    name = "numpact"
    license = "Apache-2.0"
    description = "Numbers stored small and read back fast: Pco and CVC files"
    topics = ("compression", "numeric", "pco")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        with open(os.path.join(self._tree(), "include/numpact/version.hpp")) as header:
            parts = re.findall(
                r"#define NUMPACT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header.read()
            )
        self.version = ".".join(parts)

    def export_sources(self):
        tool = os.path.join(self._tree(), "tools/amalgamate.py")
        subprocess.check_call([sys.executable, tool, self.export_sources_folder, "--vendored"])

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeToolchain(self).generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(
            self,
            "LICENSE",
            os.path.join(self.source_folder, "hwy"),
            os.path.join(self.package_folder, "licenses/hwy"),
        )

    def package_info(self):
        self.cpp_info.libs = ["numpact"]
        if self.options.shared:
            self.cpp_info.defines = ["NUMPACT_SHARED"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread", "m"]
