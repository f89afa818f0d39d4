// SPDX-License-Identifier: Apache-2.0
// Encoding of standalone files in memory, and its estimate.
#include <algorithm>
#include <string_view>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/estimate.hpp"
#include "numpact/pco.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

// Into zeros, of which the last one remains.
template <std::size_t kSize>
void copy_text(std::string_view text, char (&to)[kSize]) {
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), to);
}

}  // namespace

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

numpact_status numpact_estimate_size(numpact_context* context, numpact_type type,
                                     const void* numbers, size_t count,
                                     const numpact_encode_options* options,
                                     numpact_estimate* estimate, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_struct(estimate));
    NumberView view;
    NUMPACT_TRY(make_view(type, numbers, count, view));
    EncodeConfig config;
    NUMPACT_TRY(encode_config(context, options, config));
    SizeEstimate found;
    NUMPACT_TRY(estimate_size(view, config, encode_context(context)).into(found));
    numpact_estimate result = {};
    result.size = found.bytes;
    result.error = found.error_bytes;
    result.mode = static_cast<std::int32_t>(found.mode);
    result.delta = static_cast<std::int32_t>(found.delta);
    copy_text(found.mode_text, result.mode_text);
    copy_text(found.delta_text, result.delta_text);
    give_struct(result, estimate);
    return {};
  });
}

}  // extern "C"
