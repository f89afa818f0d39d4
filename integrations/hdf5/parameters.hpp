// SPDX-License-Identifier: Apache-2.0
// The parameters of the filter: the array of 32-bit numbers that HDF5 stores with a dataset
// (cd_values), and that netCDF makes of the JSON of a Zarr array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "numpact/numpact.h"

namespace numpact_hdf5 {

// The first are the user's; missing ones are 0, except the level. The others describe the
// dataset and are set when it is created. README.md documents the values for users.
enum Position : unsigned {
  kLevelAt,     // 0 to 12
  kEncodingAt,  // mode, delta encoding: bits below
  kPageAt,      // maximum numbers in a chunk of the Pco file; 0: chosen by the encoder
  kTypeAt,      // numpact_type; NUMPACT_NO_TYPE: the filter cannot serve the dataset
  kLayoutAt,    // bits below
  kSizeAt,      // bytes of a chunk as it arrives
  kParameterCount
};
constexpr std::size_t kUserCount = kTypeAt;
using ParameterArray = std::array<unsigned, kParameterCount>;

// Bits of kEncodingAt.
constexpr unsigned kClassicMode = 1U << 0;
constexpr unsigned kDeltaShift = 2;  // two bits: a Delta
constexpr unsigned kOrderShift = 4;  // three bits: the order of Delta::kConsecutive
constexpr unsigned kFavorDecodeSpeed = 1U << 7;
constexpr unsigned kEncodingBits =
    kClassicMode | 3U << kDeltaShift | 7U << kOrderShift | kFavorDecodeSpeed;
enum class Delta : unsigned { kAuto, kNone, kConsecutive, kLookback };

// Bits of kLayoutAt.
constexpr unsigned kBigEndianLayout = 1U << 0;
constexpr unsigned kAnySize = 1U << 1;  // kSizeAt is that of the dataset's chunk; chunks that
                                        // arrive may be of another: filters come first
constexpr unsigned kLayoutBits = kBigEndianLayout | kAnySize;

// Filters in front may make a chunk larger: this much is accepted, twice the chunk and 64 KiB. The
// known filters add a few bytes; those that store incompressible data raw add less than a percent.
constexpr std::size_t kMaxGrowthFactor = 2;
constexpr std::size_t kMaxGrowthBytes = std::size_t{1} << 16;

struct Parameters {
  unsigned level = NUMPACT_DEFAULT_LEVEL;
  unsigned encoding = 0;
  unsigned page = 0;
  numpact_type type = NUMPACT_NO_TYPE;
  unsigned layout = 0;
  unsigned size = 0;

  // Maximum raw bytes of a chunk.
  std::uint64_t limit() const {
    const std::uint64_t bytes = size;
    return (layout & kAnySize) != 0 ? bytes * kMaxGrowthFactor + kMaxGrowthBytes : bytes;
  }

  ParameterArray array() const { return {level, encoding, page, type, layout, size}; }
};

// Reads the user's parameters, for encoding. Returns null, or a description of the fault.
const char* read_user_parameters(std::size_t count, const unsigned* values, Parameters& parameters);

// Reads the parameters of a dataset that the filter can serve: all that decoding takes.
const char* read_dataset_parameters(std::size_t count, const unsigned* values,
                                    Parameters& parameters);

// The encoder's options for `count` numbers. `delta_text` is used by the result.
using DeltaText = std::array<char, sizeof "consecutive=7">;
numpact_encode_options encode_options(const Parameters& parameters, std::size_t count,
                                      DeltaText& delta_text);

// The filters in front of this one, in order.
class FiltersInFront {
 public:
  void add(int filter_id);

  // Sets type, layout and size for a dataset with chunks of chunk_size bytes. Bytes that are no
  // longer the numbers are stored as bytes.
  void describe(numpact_type type, bool is_big_endian, unsigned chunk_size,
                Parameters& parameters) const;

 private:
  bool is_any_ = false;
  bool is_size_known_ = true;
  unsigned added_bytes_ = 0;
};

}  // namespace numpact_hdf5
