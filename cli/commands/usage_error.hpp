// SPDX-License-Identifier: Apache-2.0
// Error messages for command lines that cannot be parsed, and validators of option values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
class Validator;
}  // namespace CLI

namespace numpact::cli {

// A message of one line for the error that parsing `args` caused. It names the wrong argument and,
// if one is similar, the right one.
std::string usage_error(const CLI::App& app, const std::vector<std::string>& args,
                        const CLI::ParseError& error);

// Validators of option values. Their messages name the allowed values.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);
CLI::Validator real_number();
CLI::Validator seconds_from_zero();
CLI::Validator not_empty();

}  // namespace numpact::cli
