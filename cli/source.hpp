// SPDX-License-Identifier: Apache-2.0
// What compress and bench share: the words that say how to read, and whole columns in memory.
#ifndef NUMPACT_CLI_SOURCE_HPP
#define NUMPACT_CLI_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commands.hpp"
#include "table.hpp"

namespace numpact::cli {

// Fails with a usage error that names the option.
InputOptions parse_source_words(const SourceWords& words, NullPolicy nulls_by_default);

// All numbers of a column in memory that is aligned for them; gives their count.
std::size_t read_all(NumberInput& input, NumberType type, std::vector<std::uint64_t>& numbers);

}  // namespace numpact::cli

#endif
