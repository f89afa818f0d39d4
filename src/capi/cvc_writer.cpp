// SPDX-License-Identifier: Apache-2.0
// Writing of collections of vectors.
#include "capi/cvc.hpp"

struct numpact_cvc_writer : numpact::internal::capi::Object {
  explicit numpact_cvc_writer(const numpact::internal::capi::CallersMemory& own) : Object(own) {}
  numpact_context* context = nullptr;  // whose hooks are used
  std::uint64_t dimension = 0;
  std::vector<std::byte> bytes;
  std::optional<numpact::cvc::Writer> writer;
  numpact::cvc::WriteReport report;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

void numpact_cvc_options_init(numpact_cvc_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->chunk_rows = cvc::WriteConfig().chunk_rows;
}

numpact_status numpact_cvc_writer_create(numpact_context* context,
                                         const numpact_cvc_options* options,
                                         numpact_cvc_writer** writer, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    NUMPACT_TRY(check_given(options));
    numpact_cvc_options own;
    numpact_cvc_options_init(&own);
    NUMPACT_TRY(take_struct(options, own));
    cvc::WriteConfig config;
    std::optional<cvc::Compression> compression;
    NUMPACT_TRY(take_compression(own.compression, compression));
    if (compression) config.compression = *compression;
    config.chunk_rows = own.chunk_rows;
    config.dimension = own.dimension;
    config.allow_nonfinite = own.allow_nonfinite != 0;
    const DecodeConfig hooks = decode_config(context);
    config.executor = hooks.executor;
    config.progress = hooks.progress;
    auto made = make_object<numpact_cvc_writer>(memory_for(context));
    made->context = context;
    made->dimension = own.dimension;
    Result<cvc::Writer> created = cvc::Writer::create(made->bytes, config);
    NUMPACT_TRY(created.status());
    made->writer = std::move(*created);
    return give_object(std::move(made), writer);
  });
}

void numpact_cvc_writer_destroy(numpact_cvc_writer* writer) { destroy_object(writer); }

numpact_status numpact_cvc_writer_append(numpact_cvc_writer* writer, numpact_dtype dtype,
                                         const void* rows, uint64_t count, numpact_error* error) {
  return run_with(writer, error, [&]() -> Status {
    cvc::Dtype type;
    NUMPACT_TRY(take_dtype(dtype, type));
    return writer->writer->append(cvc::Rows(type, rows, count, writer->dimension));
  });
}

numpact_status numpact_cvc_writer_finish(numpact_cvc_writer* writer, const void** bytes,
                                         size_t* size, numpact_error* error) {
  return run_with(writer, error, [&]() -> Status {
    NUMPACT_TRY(check_given(bytes));
    NUMPACT_TRY(check_given(size));
    NUMPACT_TRY(writer->writer->finish().into(writer->report));
    *bytes = writer->bytes.data();
    *size = writer->bytes.size();
    return {};
  });
}

numpact_status numpact_cvc_writer_report(const numpact_cvc_writer* writer,
                                         numpact_cvc_report* report, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    NUMPACT_TRY(check_struct(report));
    give_struct(report_of(writer->report), report);
    return {};
  });
}

}  // extern "C"
