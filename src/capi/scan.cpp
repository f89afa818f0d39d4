// SPDX-License-Identifier: Apache-2.0
// Counting numbers in a range, and checksums of parts that engines store.
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "capi/ranges.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

numpact_status numpact_count_where(numpact_context* context, const void* file, size_t size,
                                   numpact_type type, const void* min, const void* max,
                                   uint64_t* count, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(count));
    ValueRange range;
    NUMPACT_TRY(make_range(type, min, max, range));
    return count_where(bytes_of(file, size), range, decode_config(context), decode_context(context))
        .into(*count);
  });
}

numpact_status numpact_exists(numpact_context* context, const void* file, size_t size,
                              numpact_type type, const void* min, const void* max, int* found,
                              numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(found));
    ValueRange range;
    NUMPACT_TRY(make_range(type, min, max, range));
    bool is_found = false;
    NUMPACT_TRY(exists(bytes_of(file, size), range, decode_config(context), decode_context(context))
                    .into(is_found));
    *found = is_found ? 1 : 0;
    return {};
  });
}

uint32_t numpact_crc32(const void* bytes, size_t size, uint32_t before) {
  return checksum_of(bytes_of(bytes, size), before);
}

}  // extern "C"
