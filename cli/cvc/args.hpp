// SPDX-License-Identifier: Apache-2.0
// Parses option values that several CVC commands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpact/cvc/config.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// Names of all compressions, for help texts and errors.
std::string compression_names();
cvc::Compression parse_compression(const std::string& option, const std::string& arg);

// The value of --rounding.
cvc::Rounding parse_rounding(const std::string& arg);

// The value of --compression: "int8", "text=int8,id=none", or both.
struct CompressionChoice {
  std::optional<cvc::Compression> others;  // for columns of floats that are not named
  std::vector<std::pair<std::string, cvc::Compression>> named;
};
CompressionChoice parse_compressions(const std::string& arg);

// A parsed "KEY=VALUE". The value is JSON: VALUE itself if it is valid JSON, else VALUE as a
// string.
struct SectionKey {
  std::string key;
  std::string value;
};
std::optional<SectionKey> parse_section(const std::string& arg);
// Encodes text as a JSON string.
std::string json_string(const std::string& text);

std::uint64_t parse_count(const std::string& option, const std::string& arg);

}  // namespace numpact::cli
