// SPDX-License-Identifier: Apache-2.0
// Encoding of standalone files in memory.
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/pco.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

size_t numpact_compress_bound(numpact_type type, size_t count,
                              const numpact_encode_options* options) {
  EncodeConfig config;
  const Status status = guarded([&] { return encode_config(nullptr, options, config); });
  if (!status.ok()) config = {};
  return compress_bound(static_cast<NumberType>(type), count, config);
}

numpact_status numpact_compress(numpact_context* context, numpact_type type, const void* numbers,
                                size_t count, const numpact_encode_options* options, void* out,
                                size_t capacity, size_t* size, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(size));
    NumberView view;
    NUMPACT_TRY(make_view(type, numbers, count, view));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    return compress_into(view, output_of(out, capacity), config, encode_context(context))
        .into(*size);
  });
}

}  // extern "C"
