// SPDX-License-Identifier: Apache-2.0
// Small files written by this library with every type, mode and delta.
#pragma once

#include <string>
#include <vector>

#include "support/fixtures.hpp"
#include "support/random.hpp"

namespace numpact::testing {

// The modes that apply to a type, with parameters that fit the distributions or not.
std::vector<ModeSpec> mode_specs(NumberType type);
// The deltas that apply to a type.
std::vector<DeltaSpec> delta_specs(NumberType type);
std::string describe(const EncodeConfig& config);

// 67 files of all types and levels, each under 1500 bytes.
std::vector<Fixture> small_files();

}  // namespace numpact::testing
