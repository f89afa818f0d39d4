// SPDX-License-Identifier: Apache-2.0
// The symbols that HDF5 loads: the filter's class, with the functions that HDF5 calls when a
// dataset is created.
#include <cstddef>
#include <cstdint>
#include <limits>

#include "caller.hpp"
#include "filter.hpp"
#include "numpact/numpact.h"
#include "parameters.hpp"
#include "plugin.hpp"
#include "plugin_abi.hpp"

namespace numpact_hdf5 {

namespace {

// The functions of HDF5 that describe a dataset.
struct Hdf5 {
  int (*type_class)(Id type);
  std::size_t (*type_size)(Id type);
  int (*type_order)(Id type);
  int (*type_sign)(Id type);
  int (*float_fields)(Id type, std::size_t* sign, std::size_t* exponent, std::size_t* exponent_size,
                      std::size_t* mantissa, std::size_t* mantissa_size);
  std::size_t (*exponent_bias)(Id type);
  int (*chunk)(Id properties, int max_rank, std::uint64_t* sizes);
  int (*filter_count)(Id properties);
  int (*filter)(Id properties, unsigned index, unsigned* flags, std::size_t* count,
                unsigned* values, std::size_t name_size, char* name, unsigned* config);
  int (*filter_by_id)(Id properties, int id, unsigned* flags, std::size_t* count, unsigned* values,
                      std::size_t name_size, char* name, unsigned* config);
  int (*modify_filter)(Id properties, int id, unsigned flags, std::size_t count,
                       const unsigned* values);

  bool find_in(const Caller& caller) {
    return caller.find("H5Tget_class", type_class) && caller.find("H5Tget_size", type_size) &&
           caller.find("H5Tget_order", type_order) && caller.find("H5Tget_sign", type_sign) &&
           caller.find("H5Tget_fields", float_fields) &&
           caller.find("H5Tget_ebias", exponent_bias) && caller.find("H5Pget_chunk", chunk) &&
           caller.find("H5Pget_nfilters", filter_count) && caller.find("H5Pget_filter2", filter) &&
           caller.find("H5Pget_filter_by_id2", filter_by_id) &&
           caller.find("H5Pmodify_filter", modify_filter);
  }
};

constexpr const char* kNoFunctions = "the HDF5 that calls does not export its functions";

struct Dataset {
  numpact_type type = NUMPACT_NO_TYPE;
  bool is_big_endian = false;
  unsigned chunk_size = 0;  // bytes
};

numpact_type integer_type(std::size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? NUMPACT_I8 : NUMPACT_U8;
    case 2:
      return is_signed ? NUMPACT_I16 : NUMPACT_U16;
    case 4:
      return is_signed ? NUMPACT_I32 : NUMPACT_U32;
    case 8:
      return is_signed ? NUMPACT_I64 : NUMPACT_U64;
    default:
      return NUMPACT_NO_TYPE;
  }
}

// Floats of another layout than that of IEEE 754, such as bfloat16, are stored as integers.
numpact_type float_type(const Hdf5& hdf5, Id type, std::size_t size) {
  struct Layout {
    std::size_t size, sign, exponent, exponent_size, mantissa, mantissa_size, bias;
    bool operator==(const Layout&) const = default;
  };
  Layout found = {};
  found.size = size;
  found.bias = hdf5.exponent_bias(type);
  if (hdf5.float_fields(type, &found.sign, &found.exponent, &found.exponent_size, &found.mantissa,
                        &found.mantissa_size) < 0)
    return NUMPACT_NO_TYPE;
  if (found == Layout{2, 15, 10, 5, 0, 10, 15}) return NUMPACT_F16;
  if (found == Layout{4, 31, 23, 8, 0, 23, 127}) return NUMPACT_F32;
  if (found == Layout{8, 63, 52, 11, 0, 52, 1023}) return NUMPACT_F64;
  return integer_type(size, false);
}

numpact_type number_type(const Hdf5& hdf5, Id type) {
  const std::size_t size = hdf5.type_size(type);
  switch (hdf5.type_class(type)) {
    case kIntegerClass:
    case kEnumClass:
      return integer_type(size, hdf5.type_sign(type) == kSigned);
    case kBitfieldClass:
      return integer_type(size, false);
    case kFloatClass:
      return float_type(hdf5, type, size);
    default:
      return NUMPACT_NO_TYPE;
  }
}

// The dataset, if the filter can serve it; else why not.
const char* describe(const Hdf5& hdf5, Id properties, Id type, Dataset& dataset) {
  const numpact_type number = number_type(hdf5, type);
  if (number == NUMPACT_NO_TYPE)
    return "only integers, enumerations, bit fields and floats of 1, 2, 4 and 8 bytes can be "
           "compressed";
  const int order = hdf5.type_order(type);
  const bool is_byte = numpact_type_size(number) == 1;
  if (order != kLittleEndian && order != kBigEndian && !(is_byte && order == kNoOrder))
    return "numbers of this byte order cannot be compressed";
  std::uint64_t sizes[kMaxRank];
  const int rank = hdf5.chunk(properties, kMaxRank, sizes);
  if (rank < 1 || rank > kMaxRank) return "the dataset has no chunks";
  std::uint64_t bytes = numpact_type_size(number);
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] == 0) return "the dataset has no chunks";
    if (sizes[i] > std::numeric_limits<unsigned>::max() / bytes)
      return "chunks of 4 GiB and more cannot be compressed";
    bytes *= sizes[i];
  }
  dataset = {number, order == kBigEndian && !is_byte, static_cast<unsigned>(bytes)};
  return nullptr;
}

// Whether the filters in front of this one were found.
bool find_filters_in_front(const Hdf5& hdf5, Id properties, FiltersInFront& filters) {
  const int count = hdf5.filter_count(properties);
  for (int i = 0; i < count; ++i) {
    std::size_t value_count = 0;
    unsigned flags = 0;
    unsigned config = 0;
    const int id = hdf5.filter(properties, static_cast<unsigned>(i), &flags, &value_count, nullptr,
                               0, nullptr, &config);
    if (id < 0) return false;
    if (id == kFilterId) return true;
    filters.add(id);
  }
  return false;
}

// Completes the parameters in the dataset's properties. Returns null, or a description of the
// fault.
const char* complete(const Hdf5& hdf5, Id properties, Id type) {
  unsigned flags = 0;
  unsigned config = 0;
  std::size_t count = kParameterCount;
  ParameterArray values = {};
  if (hdf5.filter_by_id(properties, kFilterId, &flags, &count, values.data(), 0, nullptr, &config) <
      0)
    return "the filter is not among those of the dataset";
  Parameters parameters;
  if (const char* wrong = read_user_parameters(count, values.data(), parameters)) return wrong;
  Dataset dataset;
  // HDF5 calls this for an optional filter even if can_apply refused: chunks are then stored raw.
  if (describe(hdf5, properties, type, dataset) == nullptr) {
    FiltersInFront filters;
    if (!find_filters_in_front(hdf5, properties, filters)) return "the filters cannot be listed";
    filters.describe(dataset.type, dataset.is_big_endian, dataset.chunk_size, parameters);
  }
  const ParameterArray completed = parameters.array();
  if (hdf5.modify_filter(properties, kFilterId, flags, completed.size(), completed.data()) < 0)
    return "the parameters cannot be stored";
  return nullptr;
}

int can_apply(Id properties, Id type, Id) noexcept {
  const Caller caller = NUMPACT_HDF5_CALLER;
  Hdf5 hdf5;
  Dataset dataset;
  const char* wrong = kNoFunctions;
  if (hdf5.find_in(caller)) wrong = describe(hdf5, properties, type, dataset);
  if (wrong != nullptr) push_error(caller, "can_apply", "H5E_CANAPPLY_g", wrong);
  return wrong == nullptr ? 1 : 0;
}

int set_local(Id properties, Id type, Id) noexcept {
  const Caller caller = NUMPACT_HDF5_CALLER;
  Hdf5 hdf5;
  const char* wrong = kNoFunctions;
  if (hdf5.find_in(caller)) wrong = complete(hdf5, properties, type);
  if (wrong != nullptr) push_error(caller, "set_local", "H5E_SETLOCAL_g", wrong);
  return wrong == nullptr ? 0 : -1;
}

constexpr FilterClass kFilterClass = {kFilterClassVersion, kFilterId, 1,     1, "pcodec",
                                      can_apply,           set_local, filter};

}  // namespace

}  // namespace numpact_hdf5

extern "C" {

NUMPACT_HDF5_EXPORT int H5PLget_plugin_type() { return numpact_hdf5::kPluginIsFilter; }

NUMPACT_HDF5_EXPORT const void* H5PLget_plugin_info() { return &numpact_hdf5::kFilterClass; }

}  // extern "C"
