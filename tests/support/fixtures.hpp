// SPDX-License-Identifier: Apache-2.0
// Pco files of other writers, and the numbers in them.
#pragma once

#include <string>
#include <vector>

#include "support/numbers.hpp"

namespace numpact::testing {

Bytes read_file(const std::string& path);
// Names that begin with "made" lie in made.zip, which the build unpacks.
std::string fixture_path(const std::string& name);

// A file by its path under tests/fixtures/pco, without the extension.
struct Fixture {
  std::string name;
  Bytes file;
  Numbers numbers;
};

// Names of the 13 files written by releases of the format's reference implementation.
const std::vector<std::string>& conformance_names();
// Their numbers by formula. Not for the empty file without a type.
Numbers conformance_numbers(const std::string& name);
inline constexpr const char* kTypelessEmpty = "v0_1_1_standalone_versioned";

// The names (without extension) in a folder of fixtures, sorted.
std::vector<std::string> names_in(const std::string& folder);

// The contents of an .npy file.
Numbers read_npy(const std::string& path);

// Every fixture that decodes and names its type.
std::vector<Fixture> good_fixtures();

}  // namespace numpact::testing
