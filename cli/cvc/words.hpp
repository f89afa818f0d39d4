// SPDX-License-Identifier: Apache-2.0
// Words of the command line that several CVC commands have.
#ifndef NUMPACT_CLI_CVC_WORDS_HPP
#define NUMPACT_CLI_CVC_WORDS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// Names of all compressions, for help texts and errors.
std::string compression_names();
cvc::Compression parse_compression(const std::string& option, const std::string& word);

// What --compression says: "int8", "text=int8,id=none", or both.
struct CompressionChoice {
  std::optional<cvc::Compression> others;  // for columns of floats that are not named
  std::vector<std::pair<std::string, cvc::Compression>> named;
};
CompressionChoice parse_compressions(const std::string& word);

// "KEY=VALUE" as a key and JSON: VALUE itself where it is JSON, else as a string.
struct SectionKey {
  std::string key;
  std::string value;
};
std::optional<SectionKey> parse_section(const std::string& word);
// JSON of a string.
std::string json_string(const std::string& text);

std::uint64_t parse_count(const std::string& option, const std::string& word);

}  // namespace numpact::cli

#endif
