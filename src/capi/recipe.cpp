// SPDX-License-Identifier: Apache-2.0
// Recipes.
#include <string>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/encoding.hpp"
#include "numpact/pco.hpp"

struct numpact_recipe : numpact::internal::capi::Object {
  numpact_recipe(const numpact::internal::capi::CallersMemory& own, const numpact::Recipe& made)
      : Object(own), recipe(made), text(numpact::to_string(made), &memory) {}
  numpact::Recipe recipe;
  std::pmr::string text;
};

namespace numpact::internal::capi {

const Recipe* recipe_in(const numpact_recipe* recipe) { return &recipe->recipe; }

}  // namespace numpact::internal::capi

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

numpact_status numpact_recipe_create(numpact_context* context, numpact_type type,
                                     const void* sample, size_t count,
                                     const numpact_encode_options* options, numpact_recipe** recipe,
                                     numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(recipe));
    NumberView view;
    NUMPACT_TRY(make_view(type, sample, count, view));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    Recipe chosen;
    NUMPACT_TRY(choose_recipe(view, config, encode_context(context)).into(chosen));
    return give_object(make_object<numpact_recipe>(memory_for(context), chosen), recipe);
  });
}

numpact_status numpact_recipe_parse(numpact_context* context, const char* text,
                                    numpact_recipe** recipe, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(recipe));
    NUMPACT_TRY(check_given(text));
    Recipe parsed;
    NUMPACT_TRY(parse_recipe(text).into(parsed));
    return give_object(make_object<numpact_recipe>(memory_for(context), parsed), recipe);
  });
}

void numpact_recipe_destroy(numpact_recipe* recipe) { destroy_object(recipe); }

numpact_type numpact_recipe_type(const numpact_recipe* recipe) {
  return static_cast<numpact_type>(recipe->recipe.type);
}

const char* numpact_recipe_text(const numpact_recipe* recipe) { return recipe->text.c_str(); }

}  // extern "C"
