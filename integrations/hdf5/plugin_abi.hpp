// SPDX-License-Identifier: Apache-2.0
// The plug-in interfaces of HDF5, from 1.10 on, and of netCDF-C 4.9 and 4.10: the structs that a
// plug-in returns, and the constants that it receives. With these, the plug-in is built without the
// headers of either, and one build serves every copy of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpact_hdf5 {

// ---- HDF5 ----

using Id = std::int64_t;  // hid_t; negative: invalid

constexpr int kPluginIsFilter = 0;      // H5PL_TYPE_FILTER
constexpr int kFilterClassVersion = 1;  // H5Z_CLASS_T_VERS
constexpr unsigned kOptional = 0x0001;  // H5Z_FLAG_OPTIONAL: chunks may be stored unfiltered
constexpr unsigned kDecode = 0x0100;    // H5Z_FLAG_REVERSE
constexpr int kShuffleFilter = 2;       // H5Z_FILTER_SHUFFLE
constexpr int kChecksumFilter = 3;      // H5Z_FILTER_FLETCHER32
constexpr int kMaxRank = 32;            // H5S_MAX_RANK

// H5T_class_t
constexpr int kIntegerClass = 0;
constexpr int kFloatClass = 1;
constexpr int kBitfieldClass = 4;
constexpr int kEnumClass = 8;

// H5T_order_t; numbers of one byte may have kNoOrder
constexpr int kLittleEndian = 0;
constexpr int kBigEndian = 1;
constexpr int kNoOrder = 4;

constexpr int kSigned = 1;  // H5T_SGN_2

// H5Z_class2_t
struct FilterClass {
  int version;
  int id;
  unsigned encoder_present;
  unsigned decoder_present;
  const char* name;
  // Positive: the filter can serve the dataset; 0: it cannot; negative: an error.
  int (*can_apply)(Id creation_properties, Id type, Id space);
  // Completes the parameters; negative: an error.
  int (*set_local)(Id creation_properties, Id type, Id space);
  // Returns the bytes of the result in *buffer, which may be replaced by another of malloc; 0: an
  // error, and nothing has changed.
  std::size_t (*filter)(unsigned flags, std::size_t parameter_count, const unsigned* parameters,
                        std::size_t size, std::size_t* capacity, void** buffer);
};

// ---- netCDF-C, 4.9 and 4.10 ----

constexpr int kCodecVersion = 1;        // NCZ_CODEC_CLASS_VER
constexpr int kCodecForHdf5 = 1;        // NCZ_CODEC_HDF5
constexpr int kMaxVariableRank = 1024;  // NC_MAX_VAR_DIMS

// Results of functions.
constexpr int kNoError = 0;            // NC_NOERR
constexpr int kInvalidArgument = -36;  // NC_EINVAL
constexpr int kOutOfMemory = -61;      // NC_ENOMEM
constexpr int kFilterFailed = -132;    // NC_EFILTER

constexpr int kChunked = 0;  // NC_CHUNKED

// NCZ_codec_t. Arrays and strings that the functions return are freed by the caller.
struct CodecClass {
  int version;
  int sort;
  const char* name;
  unsigned filter_id;
  void (*initialize)();
  void (*finalize)();
  int (*codec_to_hdf5)(const char* json, std::size_t* count, unsigned** parameters);
  int (*hdf5_to_codec)(std::size_t count, const unsigned* parameters, char** json);
  // From the parameters that are visible to users to those that the filter function gets.
  int (*modify_parameters)(int group, int variable, std::size_t* visible_count, unsigned** visible,
                           std::size_t* working_count, unsigned** working);
};

}  // namespace numpact_hdf5
