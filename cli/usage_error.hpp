// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line that cannot be parsed.
#ifndef NUMPACT_CLI_USAGE_ERROR_HPP
#define NUMPACT_CLI_USAGE_ERROR_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
class Validator;
}  // namespace CLI

namespace numpact::cli {

// One line for the error that parsing `words` has given: it names the word and, where one is near,
// the right one.
std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::ParseError& error);

// Checks of values, whose errors say what is allowed.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
CLI::Validator real_number();
CLI::Validator seconds_from_zero();
CLI::Validator not_empty();

}  // namespace numpact::cli

#endif
