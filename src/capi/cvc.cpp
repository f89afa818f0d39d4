// SPDX-License-Identifier: Apache-2.0
// Reading of collections of vectors.
#include "capi/cvc.hpp"

#include <memory>

#include "numpact/file_access.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

class CallersFile final : public RangeSource {
 public:
  CallersFile(numpact_read_at_function read, void* opaque, std::uint64_t size)
      : read_(read), opaque_(opaque), size_(size) {}
  std::uint64_t size() const noexcept override { return size_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    std::size_t count = 0;
    const int result = read_(opaque_, offset, out.data(), out.size(), &count);
    if (result != 0) return caller_status(result, "the file cannot be read");
    return count;
  }

 private:
  numpact_read_at_function read_;
  void* opaque_;
  std::uint64_t size_;
};

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

numpact_status numpact_cvc_reader_open(numpact_context* context, numpact_read_at_function read,
                                       void* opaque, uint64_t file_size,
                                       numpact_cvc_reader** reader, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    if (read == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no source");
    Result<cvc::Reader> made = cvc::Reader::create(
        std::make_shared<CallersFile>(read, opaque, file_size), decode_config(context).limits);
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

size_t numpact_cvc_reader_chunk_count(const numpact_cvc_reader* reader) {
  return reader->reader.info().chunks.size();
}

numpact_status numpact_cvc_reader_chunk(const numpact_cvc_reader* reader, size_t index,
                                        numpact_cvc_chunk* chunk, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    NUMPACT_TRY(check_struct(chunk));
    const cvc::Info& info = reader->reader.info();
    if (index >= info.chunks.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such chunk");
    }
    const cvc::Chunk& found = info.chunks[index];
    numpact_cvc_chunk made = {};
    made.first_row = found.first_row;
    made.rows = found.rows;
    made.offset = found.offset;
    made.size = info.record_head_bytes() + found.payload_bytes;
    give_struct(made, chunk);
    return {};
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
