// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/recipe.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <type_traits>

#include "base/try.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "pco/encode/modes/allowed.hpp"
#include "pco/limits.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

static_assert(std::tuple_size_v<decltype(Recipe::weights)> == kMaxConv1Order);

AnyMode mode_of(const Recipe& recipe, const LatentArray* ordered, Arena* arena) {
  AnyMode mode;
  visit_member<AnyMode>(*recipe.mode.mode(), [&](auto member) {
    using Member = typename decltype(member)::type;
    if constexpr (std::is_same_v<Member, Dict>) {
      Dict dict;
      if (ordered == nullptr || make_dict(*ordered, ordered->n / 2 + 1, *arena, dict)) mode = dict;
    } else {
      mode = Member::requested(recipe.mode, recipe.type);
    }
  });
  return mode;
}

AnyDelta delta_of(const Recipe& recipe, std::size_t page_n) {
  switch (*recipe.delta.delta()) {
    case Delta::kConsecutive:
      if (recipe.delta.order() == 0) return NoDelta{};
      return Consecutive{recipe.delta.order(), recipe.encodes_secondary};
    case Delta::kLookback: {
      Lookback lookback = lookback_for(page_n);
      lookback.secondary = recipe.encodes_secondary;
      return lookback;
    }
    case Delta::kConv1: {
      Conv1 conv;
      conv.quantization = recipe.quantization;
      conv.bias = recipe.bias;
      conv.order = recipe.delta.order();
      conv.weights = recipe.weights;
      return conv;
    }
    case Delta::kNone:
      break;
  }
  return NoDelta{};
}

template <class Family, class Spec, class Tag>
Status check_part(const Spec& spec, std::optional<Tag> tag, NumberType type) {
  Status status = invalid_request("a recipe names its mode and its delta encoding");
  if (!tag) return status;
  visit_member<Family>(
      *tag, [&](auto member) { status = decltype(member)::type::check_request(spec, type); });
  return status;
}

}  // namespace

Status check_recipe(const Recipe& recipe, NumberType type, const FormatVersion& version) {
  if (recipe.type != type) return invalid_request("the recipe is for another number type");
  NUMPACT_TRY(check_part<AnyMode>(recipe.mode, recipe.mode.mode(), type));
  NUMPACT_TRY(check_part<AnyDelta>(recipe.delta, recipe.delta.delta(), type));
  const AnyMode mode = mode_of(recipe, nullptr, nullptr);
  const AnyDelta delta = delta_of(recipe, 1);
  if (recipe.encodes_secondary && !(encodes_secondary(delta) && has_secondary(mode))) {
    return invalid_request("the recipe has no secondary latents with a delta");
  }
  if (const auto* const conv = std::get_if<Conv1>(&delta)) {
    if (!conv->is_valid(primary_bits(mode, type))) {
      return invalid_request("the weights of the recipe could overflow");
    }
  }
  if (is_allowed(mode, version) && is_allowed(delta, version)) return {};
  return invalid_request("the format version lacks what the recipe needs");
}

Choice choice_by_recipe(const Recipe& recipe, const LatentArray& ordered, std::size_t page_n,
                        Arena& arena) {
  Choice choice;
  choice.mode = mode_of(recipe, &ordered, &arena);
  choice.delta = delta_of(recipe, page_n);
  // Weights for indices suit no numbers.
  const bool lacks_dict =
      recipe.mode.mode() == Mode::kDict && !std::holds_alternative<Dict>(choice.mode);
  if (lacks_dict && has_weights(choice.delta)) choice.delta = NoDelta{};
  return choice;
}

Recipe recipe_of(const Choice& choice, NumberType type) {
  Recipe recipe;
  recipe.type = type;
  if (const auto* const mult = std::get_if<IntMult>(&choice.mode)) {
    recipe.mode = ModeSpec::try_int_mult(mult->base);
  } else if (const auto* const base = std::get_if<FloatMult>(&choice.mode)) {
    recipe.mode = ModeSpec::try_float_mult(base->base(type));
  } else if (const auto* const quant = std::get_if<FloatQuant>(&choice.mode)) {
    recipe.mode = ModeSpec::try_float_quant(quant->k);
  } else if (std::holds_alternative<Dict>(choice.mode)) {
    recipe.mode = ModeSpec::try_dict();
  }
  if (const auto* const consecutive = std::get_if<Consecutive>(&choice.delta)) {
    recipe.delta = DeltaSpec::try_consecutive(consecutive->order);
  } else if (std::holds_alternative<Lookback>(choice.delta)) {
    recipe.delta = DeltaSpec::try_lookback();
  } else if (const auto* const conv = std::get_if<Conv1>(&choice.delta)) {
    recipe.delta = DeltaSpec::try_conv1(conv->order);
    recipe.quantization = conv->quantization;
    recipe.bias = conv->bias;
    std::copy_n(conv->weights.begin(), conv->order, recipe.weights.begin());
  }
  recipe.encodes_secondary = encodes_secondary(choice.delta) && has_secondary(choice.mode);
  return recipe;
}

}  // namespace numpact::internal
