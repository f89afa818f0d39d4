// SPDX-License-Identifier: Apache-2.0
// Collections of vectors.
#include "numpact/cvc.hpp"

#include "base/try.hpp"
#include "capi/capi.hpp"

struct numpact_cvc_reader : numpact::internal::capi::Object {
  numpact_cvc_reader(const numpact::internal::capi::CallersMemory& own, numpact::cvc::Reader made)
      : Object(own), reader(std::move(made)) {}
  numpact::cvc::Reader reader;
};

struct numpact_cvc_writer : numpact::internal::capi::Object {
  explicit numpact_cvc_writer(const numpact::internal::capi::CallersMemory& own) : Object(own) {}
  std::uint64_t dimension = 0;
  std::vector<std::byte> bytes;
  std::optional<numpact::cvc::Writer> writer;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

static_assert(NUMPACT_DTYPE_FLOAT32 == static_cast<int>(cvc::Dtype::kFloat32));
static_assert(NUMPACT_DTYPE_BFLOAT16 == static_cast<int>(cvc::Dtype::kBFloat16));
static_assert(NUMPACT_DTYPE_UINT8 == static_cast<int>(cvc::Dtype::kUInt8));

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
  if (cvc::size_of(static_cast<cvc::Dtype>(dtype)) == 0) {
    return Status(ErrorKind::kInvalidArgument, "there is no such dtype");
  }
  target.column = column;
  target.rows = cvc::MutableRows(static_cast<cvc::Dtype>(dtype), out, count,
                                 info.columns[column].dimension, stride);
  return {};
}

}  // namespace

extern "C" {

numpact_status numpact_cvc_reader_create(numpact_context* context, const void* file, size_t size,
                                         numpact_cvc_reader** reader, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    Result<cvc::Reader> made =
        cvc::Reader::create(bytes_of(file, size), decode_config(context).limits);
    NUMPACT_TRY(made.status());
    *reader = make_object<numpact_cvc_reader>(memory_for(context), std::move(*made)).release();
    return {};
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
    NUMPACT_TRY(check_struct(column));
    const cvc::Info& info = reader->reader.info();
    if (index >= info.columns.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such column");
    }
    const cvc::Column& found = info.columns[index];
    numpact_cvc_column made = {};
    made.name = found.name.c_str();
    made.compression = cvc::name_of(found.compression).data();
    made.dimension = found.dimension;
    made.dtype = static_cast<numpact_dtype>(found.dtype);
    give_struct(made, column);
    return {};
  });
}

numpact_status numpact_cvc_reader_read(const numpact_cvc_reader* reader, numpact_context* context,
                                       uint64_t first, uint64_t count, size_t column,
                                       numpact_dtype dtype, void* out, size_t stride,
                                       numpact_error* error) {
  return run(error, [&]() -> Status {
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
  return run(error, [&]() -> Status {
    cvc::Target target;
    NUMPACT_TRY(make_target(reader, column, dtype, out, count, stride, target));
    if (count > 0) NUMPACT_TRY(check_given(rows));
    return reader->reader.gather(std::span(rows, count), std::span(&target, 1),
                                 read_config(context));
  });
}

void numpact_cvc_options_init(numpact_cvc_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->chunk_rows = cvc::WriteConfig().chunk_rows;
}

numpact_status numpact_cvc_writer_create(numpact_context* context,
                                         const numpact_cvc_options* options,
                                         numpact_cvc_writer** writer, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    NUMPACT_TRY(check_given(options));
    numpact_cvc_options own;
    numpact_cvc_options_init(&own);
    NUMPACT_TRY(take_struct(options, own));
    cvc::WriteConfig config;
    if (own.compression != nullptr) {
      const std::optional<cvc::Compression> found = cvc::compression_of_name(own.compression);
      if (!found) return Status(ErrorKind::kInvalidArgument, "there is no such compression");
      config.compression = *found;
    }
    config.chunk_rows = own.chunk_rows;
    config.dimension = own.dimension;
    config.allow_nonfinite = own.allow_nonfinite != 0;
    const DecodeConfig hooks = decode_config(context);
    config.executor = hooks.executor;
    config.progress = hooks.progress;
    auto made = make_object<numpact_cvc_writer>(memory_for(context));
    made->dimension = own.dimension;
    Result<cvc::Writer> created = cvc::Writer::create(made->bytes, config);
    NUMPACT_TRY(created.status());
    made->writer = std::move(*created);
    *writer = made.release();
    return {};
  });
}

void numpact_cvc_writer_destroy(numpact_cvc_writer* writer) { destroy_object(writer); }

numpact_status numpact_cvc_writer_append(numpact_cvc_writer* writer, numpact_dtype dtype,
                                         const void* rows, uint64_t count, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    if (cvc::size_of(static_cast<cvc::Dtype>(dtype)) == 0) {
      return Status(ErrorKind::kInvalidArgument, "there is no such dtype");
    }
    return writer->writer->append(
        cvc::Rows(static_cast<cvc::Dtype>(dtype), rows, count, writer->dimension));
  });
}

numpact_status numpact_cvc_writer_finish(numpact_cvc_writer* writer, const void** bytes,
                                         size_t* size, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    NUMPACT_TRY(check_given(bytes));
    NUMPACT_TRY(check_given(size));
    NUMPACT_TRY(writer->writer->finish().status());
    *bytes = writer->bytes.data();
    *size = writer->bytes.size();
    return {};
  });
}

}  // extern "C"
