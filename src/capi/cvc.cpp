// SPDX-License-Identifier: Apache-2.0
// Reading of collections of vectors.
#include "capi/cvc.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

cvc::ReadConfig read_config(numpact_context* context) {
  const DecodeConfig decode = decode_config(context);
  cvc::ReadConfig config;
  config.limits = decode.limits;
  config.progress = decode.progress;
  config.executor = decode.executor;
  return config;
}

Status make_target(const numpact_cvc_reader* reader, std::size_t column, numpact_dtype dtype,
                   void* out, std::uint64_t count, std::size_t stride, cvc::Target& target) {
  NUMPACT_TRY(check_given(reader));
  const cvc::Info& info = reader->reader.info();
  if (column >= info.columns.size()) {
    return Status(ErrorKind::kInvalidArgument, "the file has no such column");
  }
  cvc::Dtype type;
  NUMPACT_TRY(take_dtype(dtype, type));
  target.column = column;
  target.rows = cvc::MutableRows(type, out, count, info.columns[column].dimension, stride);
  return {};
}

}  // namespace

extern "C" {

numpact_status numpact_cvc_reader_create(numpact_context* context, const void* file, size_t size,
                                         numpact_cvc_reader** reader, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    Result<cvc::Reader> made =
        cvc::Reader::create(bytes_of(file, size), decode_config(context).limits);
    NUMPACT_TRY(made.status());
    return give_object(make_object<numpact_cvc_reader>(memory_for(context), std::move(*made)),
                       reader);
  });
}

void numpact_cvc_reader_destroy(numpact_cvc_reader* reader) { destroy_object(reader); }

uint64_t numpact_cvc_reader_rows(const numpact_cvc_reader* reader) { return reader->reader.rows(); }

size_t numpact_cvc_reader_column_count(const numpact_cvc_reader* reader) {
  return reader->reader.info().columns.size();
}

numpact_status numpact_cvc_reader_column(const numpact_cvc_reader* reader, size_t index,
                                         numpact_cvc_column* column, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    const cvc::Info& info = reader->reader.info();
    if (index >= info.columns.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such column");
    }
    return give_column(info.columns[index], info.columns[index].compression, column);
  });
}

numpact_status numpact_cvc_reader_read(const numpact_cvc_reader* reader, numpact_context* context,
                                       uint64_t first, uint64_t count, size_t column,
                                       numpact_dtype dtype, void* out, size_t stride,
                                       numpact_error* error) {
  return run(context, error, [&]() -> Status {
    cvc::Target target;
    NUMPACT_TRY(make_target(reader, column, dtype, out, count, stride, target));
    const cvc::RowRange range{first, count};
    return reader->reader.read({&range, 1}, {&target, 1}, read_config(context)).status();
  });
}

numpact_status numpact_cvc_reader_gather(const numpact_cvc_reader* reader, numpact_context* context,
                                         const uint64_t* rows, size_t count, size_t column,
                                         numpact_dtype dtype, void* out, size_t stride,
                                         numpact_error* error) {
  return run(context, error, [&]() -> Status {
    cvc::Target target;
    NUMPACT_TRY(make_target(reader, column, dtype, out, count, stride, target));
    if (count > 0) NUMPACT_TRY(check_given(rows));
    return reader->reader.gather(std::span(rows, count), std::span(&target, 1),
                                 read_config(context));
  });
}

}  // extern "C"
