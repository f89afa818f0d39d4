// SPDX-License-Identifier: Apache-2.0
// Making of trailers for files that have none.
#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/trailer.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

numpact_status numpact_trailer_make(numpact_context* context, const void* file, size_t size,
                                    int32_t kind, unsigned restart_log, void* out, size_t capacity,
                                    size_t* written, uint64_t* file_size, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(written));
    NUMPACT_TRY(check_given(file_size));
    TrailerSpec spec;
    NUMPACT_TRY(make_trailer_spec(kind, restart_log, spec));
    if (!spec.is_requested()) return Status(ErrorKind::kInvalidArgument, "no trailer is requested");
    MadeTrailer made;
    NUMPACT_TRY(
        Trailer::make(bytes_of(file, size), spec, decode_config(context), decode_context(context))
            .into(made));
    if (made.bytes.size() > capacity) {
      return Status(ErrorKind::kOutputTooSmall, "the trailer does not fit")
          .needing(made.bytes.size());
    }
    NUMPACT_TRY(check_given(out));
    std::memcpy(out, made.bytes.data(), made.bytes.size());
    *written = made.bytes.size();
    *file_size = made.file_bytes;
    return {};
  });
}

}  // extern "C"
