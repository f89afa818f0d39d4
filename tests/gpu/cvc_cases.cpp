// SPDX-License-Identifier: Apache-2.0
#include "gpu/cvc_cases.hpp"
#include "base/internal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/load.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

using cvc::Compression;
using cvc::Dtype;

// Whether values are rounded to steps of a range or of a scale.
bool has_steps(const Stored& stored) {
  const Compression compression = stored.compression;
  return compression == Compression::kInt8 || compression == Compression::kInt8Row ||
         compression == Compression::kInt8Dim || compression == Compression::kInt4 ||
         is_rotated(stored);
}

template <class T>
Bytes random_bits(Random& random, std::uint64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = static_cast<T>(random.bits());
  const ByteSpan bytes = std::as_bytes(std::span(values));
  return to_bytes(bytes);
}

Bytes random_numbers(Random& random, std::uint64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) {
    const double size = std::exp2(static_cast<double>(random.below(40)) - 20);
    value = static_cast<float>(random.normal() * size);
  }
  return to_bytes(std::as_bytes(std::span(values)));
}

// Few different bytes in the upper planes, so that codes have several widths.
Bytes random_planes(Random& random, std::uint64_t n) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(n));
  const std::uint64_t kinds[] = {256, 1 + random.below(40), 1 + random.below(5),
                                 1 + random.below(200)};
  for (std::uint32_t& value : values) {
    value = 0;
    for (unsigned p = 0; p < 4; ++p) {
      value |= static_cast<std::uint32_t>(random.below(kinds[p]) * 41 % 256) << (8 * p);
    }
  }
  return to_bytes(std::as_bytes(std::span(values)));
}

Bytes one_chunk(const cvc::WriteConfig& config, std::uint64_t rows, const cvc::Slice& slice,
                ByteSpan payload) {
  Bytes out;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  throw_if_error(writer.append_encoded({rows, {&slice, 1}, payload}));
  writer.finish().value();
  return out;
}

}  // namespace

bool is_rotated(const Stored& stored) { return stored.compression >= Compression::kRot1; }

std::string name_of(const Stored& stored) {
  return std::string(name_of(stored.compression)) + " " + std::string(name_of(stored.dtype));
}

Bytes some_cvc_file(const Stored& stored, std::uint64_t rows, std::uint64_t dimension,
                    std::uint64_t chunk_rows) {
  Random random(rows * 1000 + dimension + 7 * static_cast<std::uint64_t>(stored.compression));
  const std::uint64_t n = rows * dimension;
  Dtype dtype = stored.dtype;
  if (stored.compression == Compression::kFp16) dtype = Dtype::kFloat16;
  if (stored.compression == Compression::kBFloat16) dtype = Dtype::kBFloat16;
  const Bytes values = dtype != Dtype::kFloat32 ? random_bits<std::uint16_t>(random, n)
                       : has_steps(stored)      ? random_numbers(random, n)
                       : stored.compression == Compression::kLossless
                           ? random_planes(random, n)
                           : random_bits<std::uint32_t>(random, n);
  cvc::WriteConfig config;
  config.chunk_rows = chunk_rows;
  config.rounding = cvc::Rounding::kNearest;
  config.compression = stored.compression;
  config.dimension = dimension;
  if (stored.compression == Compression::kNone) {
    config.version = cvc::Version::kV20;
    config.columns = {{"a", dimension, dtype, stored.compression}};
  }
  Bytes out;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  const cvc::Rows all(dtype, values.data(), rows, dimension);
  if (config.columns.empty()) {
    throw_if_error(writer.append(all));
  } else {
    throw_if_error(writer.append(std::span<const cvc::Rows>(&all, 1)));
  }
  writer.finish().value();
  return out;
}

Bytes cvc_file_of_codes(double min, double scale) {
  Bytes codes(256);
  for (unsigned i = 0; i < 256; ++i) codes[i] = static_cast<std::byte>(i);
  cvc::WriteConfig config;
  config.compression = Compression::kInt8;
  config.dimension = 32;
  config.allow_nonfinite = true;
  return one_chunk(config, 8, {Compression::kInt8, min, scale, 0, 256}, codes);
}

Bytes cvc_file_of_odd_rotations(Compression compression, std::uint64_t dimension) {
  constexpr std::uint64_t kRows = 40;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float odd[] = {1.0f,  -2.5e-3f, 0.0f,  -0.0f,      1e-45f,    -3e-39f,      1e36f,
                       3e38f, -3e38f,   7e37f, -kInfinity, kInfinity, std::nanf("")};
  Random random(dimension + static_cast<std::uint64_t>(compression));
  const auto any = [&] { return odd[random.below(std::size(odd))]; };
  const auto bits =
      static_cast<std::uint64_t>(compression) - static_cast<std::uint64_t>(Compression::kRot1) + 1;
  Bytes payload;
  const auto put = [&payload](const auto& value) {
    payload.resize(payload.size() + sizeof value);
    store_le(payload.data() + payload.size() - sizeof value, value);
  };
  for (std::uint64_t row = 0; row < kRows; ++row) {
    put(row < std::size(odd) ? odd[row] : any());
    for (std::uint64_t i = 0; i < (dimension * bits + 7) / 8; ++i) {
      payload.push_back(static_cast<std::byte>(random.bits(8)));
    }
  }
  for (std::uint64_t d = 0; d < dimension; ++d) put(random.below(3) == 0 ? any() : 0.25f);
  put(random.bits());
  cvc::WriteConfig config;
  config.compression = compression;
  config.dimension = dimension;
  config.allow_nonfinite = true;
  return one_chunk(config, kRows, {compression, 0, 0, 0, payload.size()}, payload);
}

Bytes cvc_file_past_dictionary() {
  constexpr std::uint8_t kEntries = 3;  // dictionary entries; codes have 2 bits
  constexpr std::uint32_t kCount = 48;
  Bytes payload(8);
  store_le<std::uint32_t>(payload.data(), kCount);
  for (unsigned p = 0; p < 4; ++p) payload[4 + p] = std::byte{2};
  for (unsigned p = 0; p < 4; ++p) {
    payload.insert(payload.end(), {std::byte{kEntries}, std::byte{0}});
    for (unsigned i = 0; i < kEntries; ++i)
      payload.push_back(std::byte{static_cast<std::uint8_t>(i)});
    payload.insert(payload.end(), kCount / 4, std::byte{0x91});  // codes 2, 1, 0, 1
    if (p == 3) payload.back() = std::byte{0x93};                // the last one: 3
  }
  cvc::WriteConfig config;
  config.compression = Compression::kLossless;
  config.dimension = 8;
  return one_chunk(config, 6, {Compression::kLossless, 0, 0, 0, payload.size()}, payload);
}

PoisonedRows::PoisonedRows(Dtype type, std::uint64_t n, std::uint64_t d, std::uint64_t s,
                           std::uint64_t before)
    : dtype(type),
      size(cvc::size_of(type)),
      count(n),
      dimension(d),
      stride(s),
      lead(before),
      bytes(static_cast<std::size_t>(32 + (lead + n * s) * size), std::byte{0xa5}) {}

bool same_rows(PoisonedRows& a, PoisonedRows& b) {
  const auto of = [](PoisonedRows& rows) {
    const std::byte* const first = rows.data() - rows.lead * rows.size;
    const auto skipped = static_cast<std::size_t>(first - rows.bytes.data());
    return ByteSpan(rows.bytes).subspan(skipped);
  };
  const std::size_t n = std::min(of(a).size(), of(b).size());
  return same_bytes(of(a).first(n), of(b).first(n));
}

}  // namespace numpact::testing
