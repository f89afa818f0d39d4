// SPDX-License-Identifier: Apache-2.0
#include "second/compare.hpp"

#include <bit>
#include <cmath>

#include "numpact/cvc.hpp"
#include "numpact/wrapped.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 30;  // limit of the library

// Compares the outcomes; `differs` compares the values and is called only if both accept.
Comparison compare(const Status& ours, const second::Refusal& theirs, const auto& differs) {
  Comparison result;
  const bool accepted = theirs.outcome == second::Outcome::kAccepted;
  result.limited = ours.kind() == ErrorKind::kLimitExceeded ||
                   ours.kind() == ErrorKind::kOutputTooSmall ||
                   theirs.outcome == second::Outcome::kLimit;
  if (ours.ok() == accepted) {
    result.accepted = accepted;
    if (accepted) result.difference = differs();
  } else if (ours.ok()) {
    result.difference = "the second decoder refuses: " + theirs.reason;
  } else {
    result.difference = std::string("the library refuses: ") + ours.what();
  }
  return result;
}

std::string message_of(const ::testing::AssertionResult& result) {
  return result ? std::string() : result.message();
}

// The type byte of the format, independent of the library's own numbering.
std::uint8_t type_byte(NumberType type) {
  switch (type) {
    case NumberType::kU32:
      return 1;
    case NumberType::kU64:
      return 2;
    case NumberType::kI32:
      return 3;
    case NumberType::kI64:
      return 4;
    case NumberType::kF32:
      return 5;
    case NumberType::kF64:
      return 6;
    case NumberType::kU16:
      return 7;
    case NumberType::kI16:
      return 8;
    case NumberType::kF16:
      return 9;
    case NumberType::kU8:
      return 10;
    default:
      return 11;
  }
}

bool is_nan(ByteSpan little) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) bits |= std::to_integer<std::uint32_t>(little[i]) << 8 * i;
  return std::isnan(std::bit_cast<float>(bits));
}

// NaNs that arithmetic produces differ between processors.
bool same_slice(ByteSpan ours, ByteSpan theirs, bool computed) {
  if (ours.size() != theirs.size()) return false;
  if (same_bytes(ours, theirs)) return true;
  for (std::size_t i = 0; computed && i < ours.size(); i += 4) {
    const ByteSpan a = ours.subspan(i, 4);
    const ByteSpan b = theirs.subspan(i, 4);
    if (!same_bytes(a, b) && !(is_nan(a) && is_nan(b))) return false;
  }
  return computed;
}

bool is_computed(cvc::Compression compression) {
  return compression == cvc::Compression::kInt8 || compression == cvc::Compression::kInt8Row ||
         compression == cvc::Compression::kInt8Dim || compression == cvc::Compression::kInt4 ||
         compression >= cvc::Compression::kRot1;
}

std::string slice_difference(const cvc::Reader& reader, const second::PlainCvc& plain,
                             std::size_t column, std::size_t chunk) {
  const second::PlainSlice& slice = plain.columns[column].slices[chunk];
  const std::string place = text("column ", column, ", chunk ", chunk);
  const cvc::Chunk& range = reader.info().chunks[chunk];
  if (range.rows != slice.rows) return place + ": other rows";
  const std::uint64_t dimension = reader.info().columns[column].dimension;
  if (slice.values.empty()) return {};
  Bytes got(slice.values.size());
  const auto dtype = cvc::dtype_of_name(slice.dtype);
  const cvc::Target target{{*dtype, got.data(), range.rows, dimension}, column};
  const cvc::RowRange rows{range.first_row, range.rows};
  const Status status = reader.read({&rows, 1}, {&target, 1}).status();
  if (!status.ok()) return place + ": " + status.what();
  swap_file_order(got, cvc::size_of(*dtype));  // the second decoder's values are little-endian
  const bool computed = is_computed(reader.info().slice(chunk, column).compression);
  return same_slice(got, slice.values, computed) ? "" : place + ": other values";
}

std::string cvc_difference(const cvc::Reader& reader, const second::PlainCvc& plain) {
  const cvc::Info& info = reader.info();
  if (info.rows != plain.rows || info.is_columnar != plain.columnar || info.major != plain.major ||
      info.minor != plain.minor || info.columns.size() != plain.columns.size() ||
      info.sections.size() != plain.sections.size()) {
    return "another header";
  }
  for (std::size_t s = 0; s < info.sections.size(); ++s) {
    const cvc::RowRange& rows = info.sections[s].rows;
    const second::PlainSection& section = plain.sections[s];
    if (rows.first != section.first || rows.count != section.end - section.first) {
      return "other sections";
    }
  }
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    const second::PlainColumn& column = plain.columns[c];
    if (info.columns[c].name != column.name || info.columns[c].dimension != column.dimension ||
        info.chunks.size() != column.slices.size()) {
      return text("column ", c, ": another name, dimension or number of chunks");
    }
    for (std::size_t k = 0; k < info.chunks.size(); ++k) {
      std::string difference = slice_difference(reader, plain, c, k);
      if (!difference.empty()) return difference;
    }
  }
  return {};
}

}  // namespace

::testing::AssertionResult same_as_plain(const Numbers& numbers,
                                         const second::PlainNumbers& plain) {
  if (!plain.accepted()) {
    return ::testing::AssertionFailure() << "the second decoder: " << plain.refusal.reason;
  }
  if (plain.type != 0 && plain.type != type_byte(numbers.type())) {
    return ::testing::AssertionFailure() << "second decoder of type " << int{plain.type};
  }
  if (numbers.count() != plain.numbers.size()) {
    return ::testing::AssertionFailure()
           << numbers.count() << " numbers, second decoder " << plain.numbers.size();
  }
  for (std::size_t i = 0; i < plain.numbers.size(); ++i) {
    const std::uint64_t bits = bits_at(numbers, i);
    if (bits == plain.numbers[i]) continue;
    return ::testing::AssertionFailure() << std::hex << "number " << i << " is 0x" << bits
                                         << ", second decoder 0x" << plain.numbers[i];
  }
  return ::testing::AssertionSuccess();
}

Comparison compare_pco(ByteSpan file, std::uint64_t max_numbers) {
  DecodeConfig config;
  config.limits = {.max_numbers = max_numbers, .max_memory = kMaxMemoryBytes};
  Numbers numbers;
  const Status status = decompress_any(file, config).into(numbers);
  const second::PlainNumbers plain = second::decode_pco(file, {max_numbers});
  // A file without a type has no numbers.
  if (status.kind() == ErrorKind::kTypeMismatch && plain.accepted() && plain.type == 0) {
    return {true, false, {}};
  }
  return compare(status, plain.refusal, [&] { return message_of(same_as_plain(numbers, plain)); });
}

Comparison compare_wrapped(const WrappedPage& page) {
  const second::PlainNumbers plain =
      second::decode_wrapped(page.meta, page.page, page.version, type_byte(page.type), page.n);
  const DecodeLimits limits{.max_memory = kMaxMemoryBytes};
  auto decoder = wrapped::ChunkDecoder::create(page.meta, page.type,
                                               {page.version.major, page.version.minor}, limits);
  Numbers numbers = zeros(page.type, page.n);
  Status status = decoder.status();
  std::size_t consumed = 0;
  if (decoder.ok()) {
    status = decoder->decode_page(page.page, page.n, writable(numbers)).into(consumed);
  }
  return compare(status, plain.refusal, [&]() -> std::string {
    if (consumed != plain.used) return "pages of different lengths";
    return message_of(same_as_plain(numbers, plain));
  });
}

Comparison compare_cvc(ByteSpan file, std::uint64_t max_bytes) {
  const second::PlainCvc plain = second::decode_cvc(file, {max_bytes});
  DecodeLimits limits;
  limits.max_output_bytes = max_bytes;
  limits.max_memory = kMaxMemoryBytes;
  Result<cvc::Reader> reader = cvc::Reader::create(file, limits);
  Status status = reader.status();
  if (reader.ok()) {
    cvc::ReadConfig config;
    config.limits = limits;
    cvc::VerifyReport report;
    status = reader->verify(config).into(report);
    if (!report.bad.empty()) status = report.bad[0].status;
  }
  return compare(status, plain.refusal, [&] { return cvc_difference(*reader, plain); });
}

}  // namespace numpact::testing
