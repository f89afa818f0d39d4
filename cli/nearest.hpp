// SPDX-License-Identifier: Apache-2.0
// Which word was meant by a misspelled one.
#ifndef NUMPACT_CLI_NEAREST_HPP
#define NUMPACT_CLI_NEAREST_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace numpact::cli {

// Letters to insert, remove, change, or swap with their neighbour, so that one word becomes the
// other (the distance of Damerau and Levenshtein, where no part is changed twice).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word that is nearest to `word`, if one is near enough to be meant: a third of its
// letters may differ, or `word` begins just this one. Empty where there is none.
std::string_view nearest_word(std::string_view word, const std::vector<std::string>& known);

// "; nearest: WORD", or nothing.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known);

// Fails with a usage error: "--nulls: 'dorp' is none of error, drop; nearest: drop". What follows
// "=" in a choice or in the word stands for a value and is not compared.
[[noreturn]] void fail_choice(const std::string& option, std::string_view word,
                              const std::vector<std::string>& choices);

}  // namespace numpact::cli

#endif
