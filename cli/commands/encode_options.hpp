// SPDX-License-Identifier: Apache-2.0
// Raw option values that say how to encode and that limit decoding, and their parsers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

// Values as given on the command line; empty where not given.
struct EncodeArgs {
  unsigned level = kDefaultLevel;
  std::string mode;
  std::string delta;
  std::string page_size;
  std::string compat;
  bool favor_decode_speed = false;
  float decode_weight = 0;
};

struct LimitArgs {
  std::string max_output;
  std::string max_memory;
};

// Whether files get a trailer, and the distance of its restart points in numbers.
struct TrailerArgs {
  bool requested = false;
  bool omitted = false;
  std::string restart;
};

// A range of numbers by position in the file.
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// All parsers fail with a usage error that names the option.
EncodeConfig parse_encode_args(const EncodeArgs& args);
// Files get a trailer unless it is switched off. Standard output gets one only on request.
TrailerSpec parse_trailer_args(const TrailerArgs& args, bool is_stdout);
// The same for the files of a table, which have restart points as those of every writer.
TrailerSpec parse_table_trailer_args(const TrailerArgs& args);
DecodeConfig parse_limit_args(const LimitArgs& args);
std::optional<NumberRange> parse_range(const std::string& arg,
                                       const std::string& option = "--range");
std::optional<NumberType> parse_dtype(const std::string& arg);
// Parses a byte count, as in 4096, 64K, 512M, 2G.
std::uint64_t parse_size(const std::string& option, const std::string& text);

// Names separated by commas. A name in double quotes may contain commas, and "" for a quote.
std::vector<std::string> split_names(const std::string& option, const std::string& text);

// Fails with a usage error if the mode or delta does not apply to the type.
void require_config_fits(NumberType type, const EncodeConfig& config, const std::string& place);

}  // namespace numpact::cli
