// SPDX-License-Identifier: Apache-2.0
// The words of the command line that say how to encode and what decoding may cost.
#ifndef NUMPACT_CLI_ENCODE_OPTIONS_HPP
#define NUMPACT_CLI_ENCODE_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

// As given; empty where not given.
struct EncodeWords {
  unsigned level = kDefaultLevel;
  std::string mode;
  std::string delta;
  std::string page_size;
  std::string compat;
  bool favor_decode_speed = false;
};

struct LimitWords {
  std::string max_output;
  std::string max_memory;
};

// Whether files get a trailer; restart points are so many numbers apart.
struct TrailerWords {
  bool wanted = false;
  bool unwanted = false;
  std::string restart;
};

// Numbers of a file by their places.
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// All of these fail with a usage error that names the option.
EncodeConfig parse_encode_words(const EncodeWords& words);
// Files get one unless it is unwanted, standard output only if it is asked for.
TrailerSpec parse_trailer_words(const TrailerWords& words, bool is_stdout);
DecodeConfig parse_limit_words(const LimitWords& words);
std::optional<NumberRange> parse_range(const std::string& word,
                                       const std::string& option = "--range");
std::optional<NumberType> parse_dtype(const std::string& word);
// Bytes, as in 4096, 64K, 512M, 2G.
std::uint64_t parse_size(const std::string& option, const std::string& text);

// Fails with a usage error if the mode or delta does not apply to the type.
void require_config_fits(NumberType type, const EncodeConfig& config, const std::string& place);

}  // namespace numpact::cli

#endif
