// SPDX-License-Identifier: Apache-2.0
// Recognises files of other formats by their first bytes, so that messages name what a file is. The
// one table of such bytes for the library, the tool and the Python package.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace numpact::internal::signature {

using std::string_view_literals::operator""sv;

// Texts of errors about files of another format begin with this. The kind of the error is
// kCorrupt, which such a file is not: messages leave the kind out.
inline constexpr std::string_view kOtherFormat = "another format: ";

// Bytes at a fixed position of every file of a format.
struct Mark {
  std::string_view bytes;
  std::size_t at = 0;
};

struct FileFormat {
  std::string_view name;  // with an article
  Mark mark;
  // Advice about such a file if Pco files or arrays are expected, and if CVC files or
  // vectors are.
  std::string_view pco_advice;
  std::string_view cvc_advice;
  Mark second_mark = {};  // empty if the first one is enough
};

inline constexpr auto kUseCompress = "'numpact compress FILE' reads it"sv;
inline constexpr auto kUsePack = "'numpact cvc pack FILE' reads it"sv;
inline constexpr auto kUseDecompress = "'numpact decompress FILE' reads it"sv;
inline constexpr auto kUseUnpack = "'numpact cvc unpack FILE' reads it"sv;
inline constexpr auto kUseArrow = "numpact.decompress_arrow of the Python package reads it"sv;
inline constexpr auto kUseZarr = "xarray converts it to Zarr, which numpact.zarr compresses"sv;
inline constexpr auto kUnpackGzip =
    "decompress it first ('numpact compress' reads .csv.gz itself)"sv;
inline constexpr auto kUnpackZstd =
    "decompress it first ('numpact compress' reads .csv.zst itself)"sv;
inline constexpr auto kUnpack = "decompress it first"sv;
inline constexpr auto kExtractZip = "extract its files first (an .npz file holds .npy files)"sv;
inline constexpr auto kExtract = "extract its files first"sv;
inline constexpr auto kExportTable = "export its tables as Parquet or CSV"sv;
inline constexpr auto kExportArray = "export its numbers as NPY"sv;

inline constexpr FileFormat kFormats[] = {
    // Formats of numpact.
    {"a standalone Pco file", {"pco!"}, kUseDecompress, kUseDecompress},
    {"a CVC file", {"CVCF"}, kUseUnpack, kUseUnpack},
    {"an Arrow column of numpact", {"npac"}, kUseArrow, kUseArrow},
    // Formats that numpact reads.
    {"a Parquet file", {"PAR1"}, kUseCompress, kUsePack},
    {"an Arrow IPC file", {"ARROW1"}, kUseCompress, kUsePack},
    // Followed by the length of the metadata, which is below 16 MiB.
    {"an Arrow IPC stream", {"\xff\xff\xff\xff"}, kUseCompress, kUsePack, {"\0"sv, 7}},
    {"an NPY file", {"\x93NUMPY"}, kUseCompress, kUsePack},
    // Preceded by the low bytes of the length of the header, which is below 4 GiB.
    {"a safetensors file", {"\0\0\0\0{\""sv, 4}, kUsePack, kUsePack},
    // Compressed files and archives.
    {"a gzip file", {"\x1f\x8b\x08"}, kUnpackGzip, kUnpack},
    {"a zstd file", {"\x28\xb5\x2f\xfd"}, kUnpackZstd, kUnpack},
    {"an xz file",
     {"\xfd"
      "7zXZ\0"sv},
     kUnpack,
     kUnpack},
    {"a bzip2 file", {"BZh"}, kUnpack, kUnpack},
    {"an LZ4 file", {"\x04\x22\x4d\x18"}, kUnpack, kUnpack},
    {"a Blosc2 file",
     {"\x9e\xa8"
      "b2frame\0"sv},
     kUnpack,
     kUnpack},
    {"a ZIP archive", {"PK\x03\x04"}, kExtractZip, kExtractZip},
    {"a 7-Zip archive", {"7z\xbc\xaf\x27\x1c"}, kExtract, kExtract},
    {"a tar archive", {"ustar", 257}, kExtract, kExtract},
    // Grids and arrays.
    {"an HDF5 or netCDF-4 file", {"\x89HDF\r\n\x1a\n"}, kUseZarr, kUseZarr},
    {"a netCDF file", {"CDF\x01"}, kUseZarr, kUseZarr},
    {"a netCDF file", {"CDF\x02"}, kUseZarr, kUseZarr},
    {"a netCDF file", {"CDF\x05"}, kUseZarr, kUseZarr},
    {"a GRIB file", {"GRIB"}, kUseZarr, kUseZarr},
    {"a FITS file", {"SIMPLE  ="}, kExportArray, kExportArray},
    {"a MATLAB file", {"MATLAB 5.0 MAT-file"}, kExportArray, kExportArray},
    {"a Python pickle", {"\x80\x04\x95"}, kExportArray, kExportArray},
    {"a Python pickle", {"\x80\x05\x95"}, kExportArray, kExportArray},
    // Tables.
    {"an SQLite database", {"SQLite format 3\0"sv}, kExportTable, kExportTable},
    {"a DuckDB database", {"DUCK", 8}, kExportTable, kExportTable},
    {"a Feather file of version 1", {"FEA1"}, kExportTable, kExportTable},
    {"an encrypted Parquet file", {"PARE"}, kExportTable, kExportTable},
    {"an ORC file", {"ORC"}, kExportTable, kExportTable},
    {"an Avro file", {"Obj\x01"}, kExportTable, kExportTable},
    // Images and documents.
    {"a PNG image", {"\x89PNG\r\n\x1a\n"}, kExportArray, kExportArray},
    {"a JPEG image", {"\xff\xd8\xff"}, kExportArray, kExportArray},
    {"a GIF image", {"GIF8"}, kExportArray, kExportArray},
    {"a TIFF image", {"II*\0"sv}, kExportArray, kExportArray},
    {"a TIFF image", {"MM\0*"sv}, kExportArray, kExportArray},
    {"a PDF document", {"%PDF-"}, kExportTable, kExportTable},
    // Recognised by its characters, after all others.
    {"a text file",
     {},
     "'numpact compress FILE' reads CSV and TSV",
     "'numpact compress FILE' reads CSV and TSV"},
};
inline constexpr const FileFormat& kText = kFormats[std::size(kFormats) - 1];

// Bytes at the start of a file that recognition looks at: up to the end of the mark of tar.
inline constexpr std::size_t kFrontBytes = 262;

inline bool has_mark(std::span<const std::byte> front, const Mark& mark) {
  if (mark.at > front.size() || mark.bytes.size() > front.size() - mark.at) return false;
  return std::equal(mark.bytes.begin(), mark.bytes.end(), front.subspan(mark.at).begin(),
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

inline bool looks_like_text(std::span<const std::byte> front) {
  // With fewer characters, random bytes look like text too often.
  constexpr std::size_t kMinCharacters = 8;
  constexpr Mark kByteOrderMark{"\xef\xbb\xbf"};
  if (has_mark(front, kByteOrderMark)) front = front.subspan(kByteOrderMark.bytes.size());
  return front.size() >= kMinCharacters &&
         std::all_of(front.begin(), front.end(), [](std::byte byte) {
           const auto c = static_cast<unsigned char>(byte);
           return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
         });
}

// The format of a file that begins with these bytes; null if it is not known. Bytes after the first
// kFrontBytes have no effect.
inline const FileFormat* find(std::span<const std::byte> front) {
  front = front.first(std::min(front.size(), kFrontBytes));
  for (const FileFormat& format : kFormats) {
    if (&format == &kText) return looks_like_text(front) ? &format : nullptr;
    if (has_mark(front, format.mark) && has_mark(front, format.second_mark)) return &format;
  }
  return nullptr;
}

enum class Expected { kPco, kCvc };

namespace detail {

// The longest text with its terminator; the compiler refuses a longer one.
inline constexpr std::size_t kMaxTextBytes = 160;
using Text = std::array<char, kMaxTextBytes>;

// Advice names the command and the Python package, which a page of a browser has not.
#ifdef __wasm__
inline constexpr bool kGivesAdvice = false;
#else
inline constexpr bool kGivesAdvice = true;
#endif

constexpr Text text_of(const FileFormat& format, Expected expected) {
  const bool is_pco = expected == Expected::kPco;
  const std::string_view advice = is_pco ? format.pco_advice : format.cvc_advice;
  const std::string_view parts[] = {kOtherFormat,
                                    "this is ",
                                    format.name,
                                    is_pco ? ", not a standalone Pco file" : ", not a CVC file",
                                    kGivesAdvice ? "; " : "",
                                    kGivesAdvice ? advice : ""};
  Text text{};
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    for (const char c : part) text.at(size++) = c;
  }
  text.at(size) = '\0';
  return text;
}

constexpr auto texts_of(Expected expected) {
  std::array<Text, std::size(kFormats)> texts{};
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = text_of(kFormats[i], expected);
  return texts;
}

inline constexpr auto kNotPco = texts_of(Expected::kPco);
inline constexpr auto kNotCvc = texts_of(Expected::kCvc);

}  // namespace detail

// The text of the error for a file that begins with these bytes and is not of the expected format;
// `unknown` if its format is not known.
inline const char* refusal(std::span<const std::byte> front, Expected expected,
                           const char* unknown) {
  const FileFormat* format = find(front);
  if (format == nullptr) return unknown;
  const auto index = static_cast<std::size_t>(format - kFormats);
  return (expected == Expected::kPco ? detail::kNotPco : detail::kNotCvc)[index].data();
}

}  // namespace numpact::internal::signature
