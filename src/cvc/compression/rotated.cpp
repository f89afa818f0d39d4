// SPDX-License-Identifier: Apache-2.0
// rot1 to rot4: rows minus their mean, rotated and rounded to 2 to 16 levels, which a scale of each
// row multiplies. A row is its scale and then its codes; behind all rows are the mean and the seed
// of the rotation.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "base/memory.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/rotation.hpp"

namespace numpact::cvc::internal {
namespace {

template <unsigned kBits>
constexpr auto make_levels() {
  std::array<float, std::size_t{1} << kBits> levels{};
  for (unsigned i = 0; i < levels.size(); ++i) levels[i] = level_of(kBits, i);
  return levels;
}
template <unsigned kBits>
constexpr auto kLevels = make_levels<kBits>();

// Any seed will do; files of the same rows are the same bytes.
constexpr std::uint64_t kSeed = 0x6e756d70616374;
// Rounds of choosing codes for a scale, and the scale for the codes. More change little.
constexpr unsigned kFittingRounds = 4;
// Rows up to this dimension are decoded in part in a buffer on the stack.
constexpr std::size_t kStackValues = 4096;

Dtype code_type(Dtype) { return Dtype::kUInt8; }

template <unsigned kBits>
std::uint64_t code_bytes(std::uint64_t dimension, Dtype) {
  return dimension == 0 ? 0 : kScaleBytes + (dimension * kBits + 7) / 8;
}

template <unsigned kBits>
std::optional<std::uint64_t> size(const Shape& shape, Dtype dtype) {
  return shape.rows * code_bytes<kBits>(shape.dimension, dtype) +
         4 * std::min(shape.dimension, kMaxValues) + kSeedBytes;
}

template <unsigned kBits>
Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  return check_size(encoded, *size<kBits>(encoded.shape, encoded.dtype));
}

// Code i is at bits i * kBits of the bytes, which are read as one little-endian number.
template <unsigned kBits>
void unpack(const std::byte* bytes, std::size_t n, const float* levels, float* out) {
  constexpr unsigned kMask = (1u << kBits) - 1;
  constexpr std::size_t kGroup = kBits == 3 ? 8 : 8 / kBits;  // codes that end at a byte
  constexpr std::size_t kGroupBytes = kGroup * kBits / 8;
  for (std::size_t i = 0; i < n; i += kGroup) {
    std::uint32_t word = 0;
    const std::size_t count = std::min(kGroup, n - i);
    const std::size_t used = (count * kBits + 7) / 8;
    for (std::size_t k = 0; k < used; ++k)
      word |= std::to_integer<std::uint32_t>(bytes[k]) << 8 * k;
    bytes += kGroupBytes;
    for (std::size_t k = 0; k < count; ++k) out[i + k] = levels[word >> k * kBits & kMask];
  }
}

template <unsigned kBits>
std::size_t pack(const std::uint8_t* codes, std::size_t n, std::byte* out) {
  const std::size_t bytes = (n * kBits + 7) / 8;
  std::memset(out, 0, bytes);
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = static_cast<std::uint32_t>(codes[i]) << i * kBits % 8;
    out[i * kBits / 8] |= static_cast<std::byte>(word);
    if (i * kBits % 8 + kBits > 8) out[i * kBits / 8 + 1] |= static_cast<std::byte>(word >> 8);
  }
  return bytes;
}

// Decodes a whole row. A scale that is not finite makes all of its values NaN.
template <unsigned kBits>
void decode_row(const std::byte* row, std::size_t n, const std::byte* means, float* out) {
  const float scale = load_float(row);
  if (!std::isfinite(scale)) {
    std::fill(out, out + n, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  float levels[1u << kBits];
  for (std::size_t i = 0; i < std::size(levels); ++i) levels[i] = kLevels<kBits>[i] * scale;
  unpack<kBits>(row + kScaleBytes, n, levels, out);
  rotate_back(out, n, load_le<std::uint64_t>(means + 4 * n));
  for (std::size_t i = 0; i < n; ++i) out[i] = value_of_rotated(out[i], load_float(means + 4 * i));
}

template <unsigned kBits>
Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  const Encoded& encoded = prepared.encoded;
  if (n == 0) return {};
  const std::size_t dimension = to_size(encoded.shape.dimension);
  const std::uint64_t row_bytes = code_bytes<kBits>(dimension, encoded.dtype);
  const std::byte* const rows = encoded.bytes.data();
  const std::byte* const means = rows + encoded.shape.rows * row_bytes;
  float stack[kStackValues];
  std::span<float> part(stack);
  Arena arena(default_memory());
  if (dimension > kStackValues && n % dimension != 0) {
    NUMPACT_TRY(arena.ensure<float>(dimension));
    part = arena.make<float>(dimension);
  }
  while (n > 0) {
    const std::uint64_t row = first / dimension;
    const std::size_t at = to_size(first % dimension);
    const std::size_t run = to_size(std::min<std::uint64_t>(n, dimension - at));
    const bool is_whole = run == dimension;
    decode_row<kBits>(rows + row * row_bytes, dimension, means, is_whole ? out : part.data());
    if (!is_whole) std::memcpy(out, &part[at], 4 * run);
    out += run;
    first += run;
    n -= run;
  }
  return {};
}

template <unsigned kBits>
Status plan(const Source& source, const EncodeRules& rules, Plan& plan) {
  plan.bytes = *size<kBits>({source.rows(), source.dimension()}, source.dtype());
  plan.allows_nonfinite = rules.allow_nonfinite;
  return {};
}

bool are_finite(const float* values, std::size_t n) {
  bool all = true;
  for (std::size_t i = 0; i < n; ++i) all = all && std::isfinite(values[i]);
  return all;
}

// A sum in an order that does not depend on the compiler, in four parts that do not wait for each
// other.
template <class F>
double sum_of(std::size_t n, const F& term) {
  double parts[4] = {};
  for (std::size_t i = 0; i < n; ++i) parts[i % 4] += term(i);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

template <unsigned kBits>
class RowEncoder {
 public:
  explicit RowEncoder(const Source& source)
      : source_(source),
        n_(to_size(source.dimension())),
        means_(n_),
        values_(n_),
        codes_(n_),
        row_(to_size(code_bytes<kBits>(source.dimension(), source.dtype()))) {
    find_means();
  }

  std::span<const float> means() const { return means_; }

  // The bytes of a row. Returns false if float32 cannot hold the row, minus the mean and rotated.
  bool encode_row(std::uint64_t row, std::span<const std::byte>& out) {
    load(row);
    for (std::size_t i = 0; i < n_; ++i) values_[i] -= means_[i];
    rotate(values_.data(), n_, kSeed);
    const bool is_finite = are_finite(values_.data(), n_);
    scale_ = std::numeric_limits<float>::quiet_NaN();
    std::fill(codes_.begin(), codes_.end(), std::uint8_t{0});
    if (is_finite) fit();
    store_le(row_.data(), scale_);
    pack<kBits>(codes_.data(), n_, row_.data() + kScaleBytes);
    out = row_;
    return is_finite;
  }

  // Whether the last row is not the mean, but is decoded as it.
  bool is_lost() const {
    return scale_ == 0 &&
           std::any_of(values_.begin(), values_.end(), [](float v) { return v != 0; });
  }

 private:
  void load(std::uint64_t row) {
    const float* const from = source_.floats(row * n_, n_, values_.data());
    if (from != values_.data()) std::memcpy(values_.data(), from, 4 * n_);
  }

  // The mean of the rows that are finite.
  void find_means() {
    std::vector<double> sums(n_);
    std::uint64_t rows = 0;
    for (std::uint64_t row = 0; row < source_.rows(); ++row) {
      load(row);
      if (!are_finite(values_.data(), n_)) continue;
      for (std::size_t i = 0; i < n_; ++i) sums[i] += static_cast<double>(values_[i]);
      ++rows;
    }
    for (std::size_t i = 0; i < n_ && rows > 0; ++i) {
      means_[i] = static_cast<float>(sums[i] / static_cast<double>(rows)) + 0.0f;  // never -0.0
    }
  }

  // Chooses codes and scale in turns; each lowers the squared error.
  void fit() {
    constexpr auto& kAll = kLevels<kBits>;
    const auto square = [&](std::size_t i) {
      return static_cast<double>(values_[i]) * static_cast<double>(values_[i]);
    };
    double scale = std::sqrt(sum_of(n_, square) / static_cast<double>(n_));
    for (unsigned round = 0; round < (kBits == 1 ? 1 : kFittingRounds); ++round) {
      std::array<float, kAll.size() - 1> thresholds;
      for (std::size_t i = 0; i < thresholds.size(); ++i) {
        thresholds[i] = static_cast<float>(
            (static_cast<double>(kAll[i]) + static_cast<double>(kAll[i + 1])) / 2 * scale);
      }
      count_thresholds(values_.data(), n_, thresholds, codes_.data());
      const double products = sum_of(n_, [&](std::size_t i) {
        return static_cast<double>(values_[i]) * static_cast<double>(kAll[codes_[i]]);
      });
      const double squares = sum_of(n_, [&](std::size_t i) {
        return static_cast<double>(kAll[codes_[i]]) * static_cast<double>(kAll[codes_[i]]);
      });
      scale = products / squares;
    }
    scale_ = static_cast<float>(scale);
  }

  const Source& source_;
  std::size_t n_;
  std::vector<float> means_;
  std::vector<float> values_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::byte> row_;
  float scale_ = 0;
};

template <unsigned kBits>
Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  RowEncoder<kBits> encoder(source);
  for (std::uint64_t row = 0; row < source.rows() && source.dimension() > 0; ++row) {
    const ValueArea area{row, 1, 0, source.dimension()};
    std::span<const std::byte> bytes;
    if (!encoder.encode_row(row, bytes)) {
      if (!plan.allows_nonfinite) return refuse_nonfinite(source, area, sink.refused);
      sink.lost += count_finite(source, area);
    }
    if (encoder.is_lost()) sink.underflows += source.dimension();
    NUMPACT_TRY(sink.put(bytes));
  }
  NUMPACT_TRY(put_values(std::as_bytes(encoder.means()), sizeof(float), sink));
  std::byte seed[kSeedBytes];
  store_le(seed, kSeed);
  return sink.put(seed);
}

template <unsigned kBits>
constexpr Codec codec(Compression compression, std::string_view name) {
  return {.compression = compression,
          .name = name,
          .ranges = RangeScope::kRotation,
          .size = size<kBits>,
          .code_type = code_type,
          .code_bytes = code_bytes<kBits>,
          .prepare = prepare<kBits>,
          .decode = decode<kBits>,
          .plan = plan_of(plan<kBits>),
          .encode = encode_of(encode<kBits>)};
}

}  // namespace

const Codec kRot1Codec = codec<1>(Compression::kRot1, "rot1");
const Codec kRot2Codec = codec<2>(Compression::kRot2, "rot2");
const Codec kRot3Codec = codec<3>(Compression::kRot3, "rot3");
const Codec kRot4Codec = codec<4>(Compression::kRot4, "rot4");

}  // namespace numpact::cvc::internal
