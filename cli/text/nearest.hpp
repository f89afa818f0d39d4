// SPDX-License-Identifier: Apache-2.0
// Suggests the known word that a misspelled one probably means.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace numpact::cli {

// The number of letters to insert, remove, change, or swap with their neighbour to turn one word
// into the other (Damerau-Levenshtein distance, where no part is changed twice).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word nearest to `word` if it is close enough: at most a third of the letters differ, or
// `word` is a prefix of this word alone. Empty if there is none.
std::string_view nearest_word(std::string_view word, const std::vector<std::string>& known);

// Returns "; nearest: WORD", or an empty string.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known);

// Fails with a usage error: "--nulls: 'dorp' is none of error, drop; nearest: drop". Text after "="
// in a choice or in the word stands for a value and is not compared.
[[noreturn]] void fail_choice(const std::string& option, std::string_view word,
                              const std::vector<std::string>& choices);

}  // namespace numpact::cli
