// SPDX-License-Identifier: Apache-2.0
// Recipes as choices for a chunk, and the reverse.
#pragma once

#include "base/arena.hpp"
#include "number/latent_array.hpp"
#include "numpact/encoding.hpp"
#include "pco/encode/choice.hpp"
#include "pco/version.hpp"

namespace numpact::internal {

// kInvalidArgument: the recipe is for another type, contradicts itself, or needs a later version.
Status check_recipe(const Recipe& recipe, NumberType type, const FormatVersion& version);

// The choice for a chunk of the numbers `ordered`, whose longest page has page_n. The recipe has
// passed check_recipe. A dictionary is made of the numbers, in the arena; Classic if they are too
// many distinct ones.
Choice choice_by_recipe(const Recipe& recipe, const LatentArray& ordered, std::size_t page_n,
                        Arena& arena);

Recipe recipe_of(const Choice& choice, NumberType type);

}  // namespace numpact::internal
