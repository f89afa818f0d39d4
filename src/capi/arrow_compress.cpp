// SPDX-License-Identifier: Apache-2.0
// Compresses columns of Arrow's C data interface.
#include <algorithm>
#include <vector>

#include "arrow/bitmap.hpp"
#include "arrow/column_type.hpp"
#include "arrow/structures.hpp"
#include "base/crc.hpp"
#include "base/load.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "capi/arrow_frame.hpp"
#include "capi/capi.hpp"
#include "json/json.hpp"
#include "numpact/pco.hpp"

using namespace numpact;                   // NOLINT(google-build-using-namespace)
using namespace numpact::internal;         // NOLINT(google-build-using-namespace)
using namespace numpact::internal::arrow;  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;   // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kMaxFormatBytes = 0xffff;  // what the field of 2 bytes can hold

struct Column {
  std::string_view format;
  Storage storage;
  std::size_t first = 0;  // of its rows in the buffers
  std::size_t length = 0;
  const std::uint8_t* validity = nullptr;  // null: no row is null
  const std::uint8_t* values = nullptr;
};

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

Status read_schema(const ArrowSchema& schema, Column& column) {
  if (schema.release == nullptr) return invalid("the Arrow schema was released");
  if (schema.format == nullptr) return invalid("the Arrow schema has no format");
  column.format = schema.format;
  const std::optional<Storage> storage = storage_of(column.format);
  if (!storage || schema.dictionary != nullptr || schema.n_children != 0) {
    return Status(ErrorKind::kTypeMismatch,
                  "the Arrow column is not of numbers, booleans, dates, times or durations");
  }
  column.storage = *storage;
  if (column.format.size() > kMaxFormatBytes || !json::is_utf8(column.format)) {
    return invalid("the time zone of the Arrow column is too long or not UTF-8");
  }
  return {};
}

Status read_array(const ArrowArray& array, Column& column) {
  if (array.release == nullptr) return invalid("the Arrow array was released");
  if (const char* const fault = fault_in(array, 2, 0)) return invalid(fault);
  if (array.dictionary != nullptr) return invalid("the Arrow array has a dictionary");
  if (!fits_memory(8 * static_cast<std::uint64_t>(array.offset + array.length))) {
    return invalid("the Arrow array has a length out of range");
  }
  column.first = static_cast<std::size_t>(array.offset);
  column.length = static_cast<std::size_t>(array.length);
  if (array.null_count != 0) column.validity = static_cast<const std::uint8_t*>(array.buffers[0]);
  column.values = static_cast<const std::uint8_t*>(array.buffers[1]);
  if (column.length > 0 && column.values == nullptr) {
    return invalid("the Arrow array has no values");
  }
  return {};
}

Status read_column(const ArrowSchema* schema, const ArrowArray* array, Column& column) {
  NUMPACT_TRY(check_given(schema));
  NUMPACT_TRY(check_given(array));
  NUMPACT_TRY(read_schema(*schema, column));
  return read_array(*array, column);
}

template <class F>
void for_each_run(const Column& column, F&& f) {
  internal::arrow::for_each_run(column.validity, column.first, column.first + column.length, f);
}

struct Counts {
  std::size_t runs = 0;
  std::size_t nulls = 0;

  explicit Counts(const Column& column) {
    for_each_run(column, [&](bool is_null, std::size_t rows) {
      ++runs;
      if (is_null) nulls += rows;
    });
  }
};

std::size_t saturating_add(std::size_t a, std::size_t b) {
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

// Maximum bytes of the frame.
std::size_t frame_bound(const Column& column, const Counts& counts, const EncodeConfig& config) {
  std::size_t bound = compress_bound(column.storage.type, column.length - counts.nulls, config);
  if (counts.nulls > 0) {
    bound = saturating_add(bound, compress_bound(NumberType::kU64, counts.runs));
  }
  return saturating_add(bound, kHeadBytes + column.format.size() + kCheckBytes);
}

// The config for a column of `count` numbers that are not null.
Status arrow_config(numpact_context* context, const numpact_encode_options* options,
                    std::size_t count, EncodeConfig& config) {
  NUMPACT_TRY(encode_config(context, options, config));
  if (config.trailer.is_requested()) {
    return invalid("an Arrow column has no trailer: its frame has a checksum");
  }
  // A file without numbers names its type only from this version on, and readers compare it.
  if (count == 0) config.compatibility = std::max(config.compatibility, Compatibility::kV4_0);
  return {};
}

// Scratch memory of the context.
using Bytes = std::pmr::vector<std::byte>;

// The numbers that are not null, one after another; a view of the column where it has them so.
NumberView dense_numbers(const Column& column, const Counts& counts, Bytes& scratch) {
  const NumberType type = column.storage.type;
  const std::size_t size = size_of(type);
  const std::size_t count = column.length - counts.nulls;
  if (counts.nulls == 0 && !column.storage.is_bits) {
    return {type, column.length > 0 ? column.values + column.first * size : nullptr, count};
  }
  scratch.resize(count * size);
  std::byte* out = scratch.data();
  std::size_t row = column.first;
  for_each_run(column, [&](bool is_null, std::size_t rows) {
    if (!is_null && column.storage.is_bits) {
      for (std::size_t i = 0; i < rows; ++i) *out++ = std::byte{bit_at(column.values, row + i)};
    } else if (!is_null && rows > 0) {
      std::memcpy(out, column.values + row * size, rows * size);
      out += rows * size;
    }
    row += rows;
  });
  return {type, scratch.data(), count};
}

// The lengths of the runs as a file at the start of `space`.
Status write_runs(numpact_context* context, const Column& column, const Counts& counts,
                  std::span<std::byte> space, std::size_t& size) {
  CallersMemory memory = memory_for(context);
  std::pmr::vector<std::uint64_t> runs(&memory);
  runs.reserve(counts.runs);
  for_each_run(column, [&](bool, std::size_t rows) { runs.push_back(rows); });
  return compress_into(NumberView(NumberType::kU64, runs.data(), runs.size()), space, {},
                       encode_context(context))
      .into(size);
}

Status write_frame(numpact_context* context, const Column& column, const Counts& counts,
                   const EncodeConfig& config, std::span<std::byte> out, std::size_t& size) {
  const std::size_t head = kHeadBytes + column.format.size();
  if (out.size() < head + kCheckBytes) {
    return Status(ErrorKind::kOutputTooSmall, "the Arrow column does not fit");
  }
  NUMPACT_TRY(check_given(out.data()));
  const std::span<std::byte> space = out.subspan(head, out.size() - head - kCheckBytes);
  std::size_t runs_size = 0;
  if (counts.nulls > 0) NUMPACT_TRY(write_runs(context, column, counts, space, runs_size));
  std::size_t numbers_size = 0;
  {
    CallersMemory memory = memory_for(context);
    Bytes scratch(&memory);
    NUMPACT_TRY(compress_into(dense_numbers(column, counts, scratch), space.subspan(runs_size),
                              config, encode_context(context))
                    .into(numbers_size));
  }
  std::byte* const at = out.data();
  std::memcpy(at, kMagic, sizeof kMagic);
  at[4] = std::byte{kVersion};
  at[5] = std::byte{0};
  store_le(at + 6, static_cast<std::uint16_t>(column.format.size()));
  store_le(at + 8, std::uint64_t{column.length});
  store_le(at + 16, std::uint64_t{counts.nulls});
  store_le(at + 24, std::uint64_t{runs_size});
  store_le(at + 32, std::uint64_t{numbers_size});
  std::memcpy(at + kHeadBytes, column.format.data(), column.format.size());
  const std::size_t end = head + runs_size + numbers_size;
  store_le(at + end, crc32(out.first(end)));
  size = end + kCheckBytes;
  return {};
}

}  // namespace

extern "C" {

size_t numpact_compress_arrow_bound(const struct ArrowSchema* schema,
                                    const struct ArrowArray* array,
                                    const numpact_encode_options* options) {
  std::size_t bound = 0;
  const Status status = guarded([&]() -> Status {
    Column column;
    NUMPACT_TRY(read_column(schema, array, column));
    const Counts counts(column);
    EncodeConfig config;
    NUMPACT_TRY(arrow_config(nullptr, options, column.length - counts.nulls, config));
    bound = frame_bound(column, counts, config);
    return {};
  });
  return status.ok() ? bound : 0;
}

numpact_status numpact_compress_arrow(numpact_context* context, const struct ArrowSchema* schema,
                                      const struct ArrowArray* array,
                                      const numpact_encode_options* options, void* out,
                                      size_t capacity, size_t* size, numpact_error* error) {
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(size));
    Column column;
    NUMPACT_TRY(read_column(schema, array, column));
    const Counts counts(column);
    EncodeConfig config;
    NUMPACT_TRY(arrow_config(context, options, column.length - counts.nulls, config));
    const Status status =
        write_frame(context, column, counts, config, output_of(out, capacity), *size);
    if (status.kind() != ErrorKind::kOutputTooSmall) return status;
    return status.needing(frame_bound(column, counts, config));
  });
}

}  // extern "C"
