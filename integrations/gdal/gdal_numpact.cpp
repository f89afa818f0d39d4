// SPDX-License-Identifier: Apache-2.0
// The codec "pcodec" for GDAL, whose Zarr driver finds it by this id. GDALRegister_numpact adds it
// when GDAL loads its plug-ins.
#include <cpl_compressor.h>
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <cstdint>
#include <limits>

#include "../common/thread_context.hpp"
#include "numpact/numpact.h"
#include "options.hpp"

#ifndef CPL_LSB
#error "the chunks that GDAL and Zarr exchange are little-endian: this machine is not supported"
#endif

namespace {

constexpr char kId[] = "pcodec";
// The options that GDAL offers for new arrays; it stores them in the array's JSON, where other
// programs must know them too.
constexpr char kOptions[] =
    "OPTIONS=<Options>"
    "<Option name='LEVEL' type='int' description='0 (fast) to 12 (small)' default='8'/>"
    "</Options>";
const char* const kMetadata[] = {kOptions, nullptr};

numpact_error new_error() {
  numpact_error error;
  numpact_error_init(&error);
  return error;
}

bool fail(const numpact_error& error) {
  const CPLErrorNum number =
      error.status == NUMPACT_OUT_OF_MEMORY ? CPLE_OutOfMemory : CPLE_AppDefined;
  if (error.offset == NUMPACT_UNKNOWN) {
    CPLError(CE_Failure, number, "pcodec: %s", error.text);
  } else {
    CPLError(CE_Failure, number, "pcodec: %s (byte %llu)", error.text,
             static_cast<unsigned long long>(error.offset));
  }
  return false;
}

bool misuse() {
  CPLError(CE_Failure, CPLE_IllegalArg, "pcodec: neither an output nor a size to set");
  return false;
}

// ---- decompression ----

// The size of the file without what follows it. A trailer may state any count, so it is cut off
// before numbers are counted; what it leaves may end in a trailer again.
std::size_t size_without_trailers(const void* file, std::size_t size) {
  for (;;) {
    numpact_trailer* trailer = nullptr;
    const numpact_status status = numpact_trailer_read(file, size, &trailer, nullptr);
    if (status != NUMPACT_OK || trailer == nullptr) return size;
    const std::uint64_t left = numpact_trailer_file_size(trailer);
    numpact_trailer_destroy(trailer);
    if (left >= size) return size;
    size = static_cast<std::size_t>(left);
  }
}

// The bytes of the numbers of a file. Reads the structure of all chunks and decodes none.
bool decoded_size(const void* file, std::size_t size, std::size_t& out) {
  numpact_error error = new_error();
  numpact_file_info info;
  info.struct_size = sizeof info;
  if (numpact_read_info(file, size, &info, &error) != NUMPACT_OK) return fail(error);
  std::uint64_t count = 0;
  const std::size_t walked = size_without_trailers(file, size);
  if (numpact_count(numpact_plugin::thread_context(), file, walked, &count, &error) != NUMPACT_OK) {
    return fail(error);
  }
  const std::size_t width = info.type == NUMPACT_NO_TYPE ? 1 : numpact_type_size(info.type);
  if (count > std::numeric_limits<std::size_t>::max() / width) {
    CPLError(CE_Failure, CPLE_OutOfMemory, "pcodec: the numbers do not fit into memory");
    return false;
  }
  out = static_cast<std::size_t>(count) * width;
  return true;
}

// Decodes into memory of *output_size bytes, which becomes the size of the numbers; or, if they
// need more, what they need; or 0.
bool decode(const void* file, std::size_t size, void* output, std::size_t* output_size) {
  numpact_error error = new_error();
  numpact_file_info info;
  info.struct_size = sizeof info;
  const std::size_t capacity = *output_size;
  *output_size = 0;
  if (numpact_read_info(file, size, &info, &error) != NUMPACT_OK) return fail(error);
  const numpact_type type = info.type == NUMPACT_NO_TYPE ? numpact_type{NUMPACT_U8} : info.type;
  std::size_t count = 0;
  const numpact_status status = numpact_decompress(numpact_plugin::thread_context(), file, size,
                                                   type, output, capacity, &count, &error);
  if (status == NUMPACT_OK) {
    *output_size = count * numpact_type_size(type);
    return true;
  }
  if (status == NUMPACT_DOES_NOT_FIT) {
    std::size_t needed = 0;
    if (!decoded_size(file, size, needed)) return false;
    *output_size = needed;
  }
  return fail(error);
}

bool decompress(const void* input, std::size_t input_size, void** output, std::size_t* output_size,
                CSLConstList, void*) {
  if (output_size == nullptr) return misuse();
  if (output != nullptr && *output != nullptr) {
    return decode(input, input_size, *output, output_size);
  }
  *output_size = 0;
  std::size_t size = 0;
  if (!decoded_size(input, input_size, size)) return false;
  if (output != nullptr) {
    // A caller tells success by a pointer, also where there are no numbers.
    void* const memory = VSI_MALLOC_VERBOSE(size > 0 ? size : 1);
    if (memory == nullptr) return false;
    if (!decode(input, input_size, memory, &size)) {
      VSIFree(memory);
      return false;
    }
    *output = memory;
  }
  *output_size = size;
  return true;
}

// ---- compression ----

struct Job {
  const void* numbers;
  std::size_t count;
  numpact_type type;
  numpact_encode_options options;

  std::size_t bound() const { return numpact_compress_bound(type, count, &options); }
};

// Compresses into memory of *output_size bytes, which becomes the size of the file; or, if that is
// not enough, a size that is; or 0.
bool encode(const Job& job, void* output, std::size_t* output_size) {
  numpact_error error = new_error();
  std::size_t written = 0;
  const numpact_status status =
      numpact_compress(numpact_plugin::thread_context(), job.type, job.numbers, job.count,
                       &job.options, output, *output_size, &written, &error);
  if (status == NUMPACT_OK) {
    *output_size = written;
    return true;
  }
  *output_size = status == NUMPACT_DOES_NOT_FIT ? job.bound() : 0;
  return fail(error);
}

bool encode_allocated(const Job& job, void** output, std::size_t* output_size) {
  std::size_t size = job.bound();
  void* const memory = VSI_MALLOC_VERBOSE(size);
  if (memory == nullptr) return false;
  if (!encode(job, memory, &size)) {
    VSIFree(memory);
    return false;
  }
  *output = memory;
  *output_size = size;
  return true;
}

bool compress(const void* input, std::size_t input_size, void** output, std::size_t* output_size,
              CSLConstList list, void*) {
  if (output_size == nullptr) return misuse();
  const std::size_t capacity = *output_size;
  *output_size = 0;
  Settings settings;
  if (!read_settings(list, input_size, settings)) return false;
  const std::size_t width = numpact_type_size(settings.type);
  if (input_size % width != 0) {
    CPLError(CE_Failure, CPLE_AppDefined, "pcodec: %llu bytes are not numbers of %d bytes",
             static_cast<unsigned long long>(input_size), static_cast<int>(width));
    return false;
  }
  Job job = {input, input_size / width, settings.type, {}};
  numpact_encode_options_init(&job.options);
  job.options.level = settings.level;
  job.options.mode = settings.mode;
  job.options.delta = settings.delta.c_str();
  job.options.max_page_count = settings.max_page_count;
  if (output == nullptr) {
    *output_size = job.bound();
    return true;
  }
  if (*output == nullptr) return encode_allocated(job, output, output_size);
  *output_size = capacity;
  return encode(job, *output, output_size);
}

void register_codec() {
  if (CPLGetDecompressor(kId) != nullptr) return;
  CPLCompressor codec;
  codec.nStructVersion = 1;
  codec.pszId = kId;
  codec.eType = CCT_COMPRESSOR;
  codec.papszMetadata = kMetadata;
  codec.pfnFunc = compress;
  codec.user_data = nullptr;
  // The Zarr driver demands both, for reading too.
  CPLRegisterCompressor(&codec);
  codec.pfnFunc = decompress;
  codec.papszMetadata = nullptr;
  CPLRegisterDecompressor(&codec);
}

}  // namespace

CPL_C_START
void CPL_DLL GDALRegister_numpact();
void CPL_DLL GDALRegisterMe();
CPL_C_END

void GDALRegister_numpact() { register_codec(); }

void GDALRegisterMe() { register_codec(); }
