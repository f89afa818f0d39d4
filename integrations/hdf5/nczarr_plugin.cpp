// SPDX-License-Identifier: Apache-2.0
// The symbols that netCDF loads for Zarr arrays: the codec "pcodec". Chunks are filtered by
// the function that HDF5 calls too; netCDF calls no set_local, so modify_parameters does its work.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "caller.hpp"
#include "codec_json.hpp"
#include "numpact/numpact.h"
#include "parameters.hpp"
#include "plugin.hpp"
#include "plugin_abi.hpp"

namespace numpact_hdf5 {

namespace {

// The functions of netCDF that describe a variable.
struct NetCdf {
  int (*type)(int group, int variable, int* type);
  int (*rank)(int group, int variable, int* rank);
  int (*chunking)(int group, int variable, int* storage, std::size_t* sizes);
  int (*filters)(int group, int variable, std::size_t* count, unsigned* ids);

  bool find_in(const Caller& caller) {
    return caller.find("nc_inq_vartype", type) && caller.find("nc_inq_varndims", rank) &&
           caller.find("nc_inq_var_chunking", chunking) &&
           caller.find("nc_inq_var_filter_ids", filters);
  }
};

// nc_type by value.
constexpr numpact_type kTypes[] = {NUMPACT_NO_TYPE, NUMPACT_I8,  NUMPACT_U8,  NUMPACT_I16,
                                   NUMPACT_I32,     NUMPACT_F32, NUMPACT_F64, NUMPACT_U8,
                                   NUMPACT_U16,     NUMPACT_U32, NUMPACT_I64, NUMPACT_U64};

template <class Value>
Value* copy(const Value* values, std::size_t count) {
  auto* made = static_cast<Value*>(std::malloc(count * sizeof(Value)));
  if (made != nullptr) std::memcpy(made, values, count * sizeof(Value));
  return made;
}

int codec_to_hdf5(const char* json, std::size_t* count, unsigned** parameters) noexcept {
  Parameters read;
  if (json == nullptr || !parse_codec(json, read)) return kFilterFailed;
  *parameters = copy(read.array().data(), kUserCount);
  if (*parameters == nullptr) return kOutOfMemory;
  *count = kUserCount;
  return kNoError;
}

int hdf5_to_codec(std::size_t count, const unsigned* parameters, char** json) noexcept {
  Parameters read;
  if (read_user_parameters(count, parameters, read) != nullptr) return kInvalidArgument;
  CodecText text;
  write_codec(read, text);
  *json = copy(text.data(), std::strlen(text.data()) + 1);
  return *json != nullptr ? kNoError : kOutOfMemory;
}

int find_chunk_size(const NetCdf& netcdf, int group, int variable, numpact_type type,
                    unsigned& size) {
  int rank = 0;
  if (const int error = netcdf.rank(group, variable, &rank); error != kNoError) return error;
  if (rank < 0 || rank > kMaxVariableRank) return kFilterFailed;
  std::size_t sizes[kMaxVariableRank] = {1};
  int storage = kChunked;
  if (rank > 0) {
    const int error = netcdf.chunking(group, variable, &storage, sizes);
    if (error != kNoError) return error;
  }
  if (storage != kChunked) return kFilterFailed;
  std::size_t bytes = numpact_type_size(type);
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] == 0 || sizes[i] > std::numeric_limits<unsigned>::max() / bytes)
      return kFilterFailed;
    bytes *= sizes[i];
  }
  size = static_cast<unsigned>(bytes);
  return kNoError;
}

int find_filters_in_front(const NetCdf& netcdf, int group, int variable, FiltersInFront& filters) {
  constexpr std::size_t kMaxFilters = 32;  // as many as HDF5 permits
  unsigned ids[kMaxFilters];
  std::size_t count = 0;
  if (const int error = netcdf.filters(group, variable, &count, nullptr); error != kNoError)
    return error;
  if (count > kMaxFilters) return kFilterFailed;
  if (const int error = netcdf.filters(group, variable, &count, ids); error != kNoError)
    return error;
  // This filter may not be listed yet: then it comes last.
  for (std::size_t i = 0; i < count && ids[i] != kFilterId; ++i)
    filters.add(static_cast<int>(ids[i]));
  return kNoError;
}

// Zarr takes what the codec decodes for the bytes of the array, whatever their order: they are
// never swapped.
int describe(const NetCdf& netcdf, int group, int variable, Parameters& parameters) {
  constexpr bool kIsSwapped = false;
  int number = 0;
  if (const int error = netcdf.type(group, variable, &number); error != kNoError) return error;
  if (number < 0 || static_cast<std::size_t>(number) >= std::size(kTypes)) return kFilterFailed;
  const numpact_type type = kTypes[number];
  if (type == NUMPACT_NO_TYPE) return kFilterFailed;
  unsigned size = 0;
  if (const int error = find_chunk_size(netcdf, group, variable, type, size); error != kNoError)
    return error;
  FiltersInFront filters;
  if (const int error = find_filters_in_front(netcdf, group, variable, filters); error != kNoError)
    return error;
  filters.describe(type, kIsSwapped, size, parameters);
  return kNoError;
}

int modify_parameters(int group, int variable, std::size_t* visible_count, unsigned** visible,
                      std::size_t* working_count, unsigned** working) noexcept {
  Parameters parameters;
  if (read_user_parameters(*visible_count, *visible, parameters) != nullptr)
    return kInvalidArgument;
  NetCdf netcdf;
  if (!netcdf.find_in(NUMPACT_HDF5_CALLER)) return kFilterFailed;
  if (const int error = describe(netcdf, group, variable, parameters); error != kNoError)
    return error;
  unsigned* made = copy(parameters.array().data(), kParameterCount);
  if (made == nullptr) return kOutOfMemory;
  std::free(*working);
  *working = made;
  *working_count = kParameterCount;
  return kNoError;
}

constexpr CodecClass kCodecClass = {kCodecVersion, kCodecForHdf5, "pcodec",
                                    kFilterId,     nullptr,       nullptr,
                                    codec_to_hdf5, hdf5_to_codec, modify_parameters};

}  // namespace

}  // namespace numpact_hdf5

extern "C" {

NUMPACT_HDF5_EXPORT const void* NCZ_get_codec_info() { return &numpact_hdf5::kCodecClass; }

}  // extern "C"
