// SPDX-License-Identifier: Apache-2.0
// Reading of collections that grow.
#include "numpact/collection.h"

#include "capi/cvc.hpp"
#include "capi/words.hpp"
#include "numpact/cvc/collection.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" numpact_status numpact_collection_open(numpact_context* context, const char* path,
                                                  numpact_cvc_reader** reader, char* why,
                                                  size_t why_capacity, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(path));
    NUMPACT_TRY(check_given(reader));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      Result<cvc::Reader> made = cvc::open_collection(path, decode_config(context).limits, failure);
      NUMPACT_TRY(made.status());
      return give_object(make_object<numpact_cvc_reader>(memory_for(context), std::move(*made)),
                         reader);
    });
  });
}
