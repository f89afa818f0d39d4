// SPDX-License-Identifier: Apache-2.0
// Adds rows to collections.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "capi/cvc.hpp"
#include "capi/words.hpp"
#include "numpact/collection.h"
#include "numpact/cvc/collection.hpp"

struct numpact_collection_writer : numpact::internal::capi::Object {
  numpact_collection_writer(const numpact::internal::capi::CallersMemory& own,
                            numpact_context* hooks, const char* folder,
                            numpact::cvc::CollectionWriter made)
      : Object(own), context(hooks), path(folder), writer(std::move(made)) {}
  numpact_context* context;  // whose hooks are used
  std::string path;
  numpact::cvc::CollectionWriter writer;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

Status take_options(const numpact_collection_options* from, cvc::WriteConfig& config) {
  numpact_collection_options given;
  numpact_collection_options_init(&given);
  NUMPACT_TRY(take_struct(from, given));
  config.chunk_rows = given.chunk_rows;
  if (given.metadata != nullptr) config.metadata = given.metadata;
  if (given.lock_timeout_ms >= 0) {
    config.lock.timeout = std::chrono::milliseconds(given.lock_timeout_ms);
  }
  config.allow_nonfinite = given.allow_nonfinite != 0;
  if (given.is_nearest != 0) config.rounding = cvc::Rounding::kNearest;
  return for_each_struct(given.columns, given.column_count,
                         [&](const numpact_cvc_column& column) -> Status {
                           cvc::ColumnSpec& spec = config.columns.emplace_back();
                           if (column.name != nullptr) spec.name = column.name;
                           spec.dimension = column.dimension;
                           NUMPACT_TRY(take_dtype(column.dtype, spec.dtype));
                           return take_compression(column.compression, spec.compression);
                         });
}

Status write(numpact_collection_writer& to, const void* const* columns, std::uint64_t count,
             table::Failure* failure) {
  std::vector<cvc::Rows> rows;
  for (const cvc::ColumnSpec& column : to.writer.columns()) {
    const void* const values = columns[rows.size()];
    if (count > 0) NUMPACT_TRY(check_given(values));
    rows.emplace_back(column.dtype, values, count, column.dimension);
  }
  const Status status = to.writer.file().append(rows);
  if (status.ok()) return status;
  const std::string& place = to.writer.file().error_place();
  *failure = {to.path, "", place.empty() ? status.message() : place + ": " + status.message()};
  return status;
}

}  // namespace

extern "C" {

void numpact_collection_options_init(numpact_collection_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->chunk_rows = cvc::WriteConfig().chunk_rows;
  options->lock_timeout_ms = -1;
}

numpact_status numpact_collection_append(numpact_context* context, const char* path,
                                         const numpact_collection_options* options,
                                         numpact_collection_writer** writer, char* why,
                                         size_t why_capacity, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(path));
    NUMPACT_TRY(check_given(writer));
    cvc::WriteConfig config;
    NUMPACT_TRY(take_options(options, config));
    const DecodeConfig hooks = decode_config(context);
    config.executor = hooks.executor;
    config.progress = hooks.progress;
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      Result<cvc::CollectionWriter> made = cvc::CollectionWriter::open(path, config, failure);
      NUMPACT_TRY(made.status());
      return give_object(make_object<numpact_collection_writer>(memory_for(context), context, path,
                                                                std::move(*made)),
                         writer);
    });
  });
}

void numpact_collection_writer_destroy(numpact_collection_writer* writer) {
  destroy_object(writer);
}

size_t numpact_collection_writer_column_count(const numpact_collection_writer* writer) {
  return writer->writer.columns().size();
}

numpact_status numpact_collection_writer_column(const numpact_collection_writer* writer,
                                                size_t index, numpact_cvc_column* column,
                                                numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    const std::vector<cvc::ColumnSpec>& columns = writer->writer.columns();
    if (index >= columns.size()) {
      return Status(ErrorKind::kInvalidArgument, "the collection has no such column");
    }
    return give_column(columns[index], *columns[index].compression, column);
  });
}

numpact_status numpact_collection_writer_write(numpact_collection_writer* writer,
                                               const void* const* columns, uint64_t count,
                                               char* why, size_t why_capacity,
                                               numpact_error* error) {
  return run_with(writer, error, [&]() -> Status {
    NUMPACT_TRY(check_given(columns));
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return write(*writer, columns, count, failure);
    });
  });
}

numpact_status numpact_collection_writer_copy(numpact_collection_writer* writer,
                                              const numpact_cvc_reader* reader, char* why,
                                              size_t why_capacity, numpact_error* error) {
  return run_with(writer, error, [&]() -> Status {
    NUMPACT_TRY(check_given(reader));
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return writer->writer.append(reader->reader, failure);
    });
  });
}

numpact_status numpact_collection_writer_commit(numpact_collection_writer* writer,
                                                numpact_cvc_report* report, char* why,
                                                size_t why_capacity, numpact_error* error) {
  return run_with(writer, error, [&]() -> Status {
    if (report != nullptr) NUMPACT_TRY(check_struct(report));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      cvc::WriteReport made;
      NUMPACT_TRY(writer->writer.commit(failure).into(made));
      if (report != nullptr) give_struct(report_of(made), report);
      return {};
    });
  });
}

}  // extern "C"
