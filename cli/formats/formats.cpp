// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/npy_header.hpp"
#include "io/decompressed_source.hpp"
#include "platform/paths.hpp"
#include "signature/file_format.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

constexpr std::string_view kParquetMagic = "PAR1";
constexpr std::string_view kArrowFileMagic = "ARROW1";
constexpr std::string_view kArrowStreamMagic = "\xff\xff\xff\xff";

constexpr auto kText = Content::kText;
constexpr auto kBinary = Content::kBinary;
constexpr auto kNumbers = Purposes::kNumbers;
constexpr auto kVectors = Purposes::kVectors;
constexpr auto kBoth = Purposes::kBoth;

// In the order of help texts.
constexpr Format kFormats[] = {
    {"text", {".txt"}, "", kText, true, kNumbers, "", nullptr, make_text},
    {"npy", {".npy"}, kNpyMagic, kBinary, false, kBoth, "", open_npy, make_npy},
    {"raw", {".raw", ".bin"}, "", kBinary, false, kBoth, "", open_raw, make_raw},
    {"fvecs", {".fvecs"}, "", kBinary, false, kVectors, "", open_fvecs, make_fvecs},
    {"bvecs", {".bvecs"}, "", kBinary, false, kVectors, "", open_bvecs, make_bvecs},
    {"ivecs", {".ivecs"}, "", kBinary, false, kVectors, "", open_ivecs, make_ivecs},
    {"fbin", {".fbin"}, "", kBinary, false, kVectors, "", open_fbin, nullptr},
    {"u8bin", {".u8bin"}, "", kBinary, false, kVectors, "", open_u8bin, nullptr},
    {"i8bin", {".i8bin"}, "", kBinary, false, kVectors, "", open_i8bin, nullptr},
    {"ibin", {".ibin"}, "", kBinary, false, kVectors, "", open_ibin, nullptr},
    {"safetensors",
     {".safetensors"},
     "",
     kBinary,
     false,
     kVectors,
     "tensor",
     open_safetensors,
     make_safetensors},
    {"csv", {".csv"}, "", kText, true, kNumbers, "column", open_csv, make_csv},
    {"tsv", {".tsv", ".tab"}, "", kText, true, kNumbers, "column", open_tsv, make_tsv},
    {"parquet",
     {".parquet", ".pq"},
     kParquetMagic,
     kBinary,
     true,
     kBoth,
     "column",
     open_parquet,
     make_parquet},
    {"arrow",
     {".arrow", ".feather", ".ipc"},
     kArrowFileMagic,
     kBinary,
     true,
     kBoth,
     "column",
     open_arrow_file,
     make_arrow_file},
    {"arrows",
     {".arrows"},
     kArrowStreamMagic,
     kBinary,
     true,
     kBoth,
     "column",
     open_arrow_stream,
     make_arrow_stream},
};

bool serves(const Format& format, Purpose purpose) {
  return format.purposes == kBoth ||
         format.purposes == (purpose == Purpose::kNumbers ? kNumbers : kVectors);
}

const Format* by_extension(const std::string& path, Purpose purpose) {
  std::string extension = platform::extension_part(path);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension.empty()) return nullptr;
  for (const Format& format : kFormats) {
    if (serves(format, purpose) &&
        std::find(std::begin(format.extensions), std::end(format.extensions), extension) !=
            std::end(format.extensions)) {
      return &format;
    }
  }
  return nullptr;
}

const Format* by_name(std::string_view name, Purpose purpose) {
  for (const Format& format : kFormats) {
    if (serves(format, purpose) && format.name == name) return &format;
  }
  return nullptr;
}

const Format* by_magic(Input& input, Purpose purpose) {
  for (const Format& format : kFormats) {
    if (!serves(format, purpose) || format.magic.empty()) continue;
    const std::span<const std::byte> front = input.peek(format.magic.size());
    if (front.size() == format.magic.size() &&
        std::memcmp(front.data(), format.magic.data(), front.size()) == 0) {
      return &format;
    }
  }
  return nullptr;
}

enum class Use { kInput, kOutput };

std::vector<std::string> name_list(Use use, Purpose purpose) {
  std::vector<std::string> list;
  for (const Format& format : kFormats) {
    const bool is_fit = use == Use::kInput ? format.open != nullptr : format.make != nullptr;
    if (is_fit && serves(format, purpose)) list.emplace_back(format.name);
  }
  return list;
}

std::string names(Use use, Purpose purpose) {
  return fmt::format("{}", fmt::join(name_list(use, purpose), ", "));
}

// "a, b or c" for numbers, "a, b, c" for vectors.
std::string names_for_help(Use use, Purpose purpose) {
  if (purpose == Purpose::kVectors) return names(use, purpose);
  const std::vector<std::string> list = name_list(use, purpose);
  const auto last = list.end() - 1;
  return fmt::format("{} or {}", fmt::join(list.begin(), last, ", "), *last);
}

// By extension. Text may be compressed, for numbers.
const Format* by_path(const Input& input, Purpose purpose) {
  if (purpose == Purpose::kVectors) return by_extension(input.path(), purpose);
  const std::string_view compressed = compressed_ending(input.path());
  const Format* format =
      by_extension(input.path().substr(0, input.path().size() - compressed.size()), purpose);
  if (format != nullptr && !compressed.empty() && format->content != kText) {
    fail(input.name(), "only text is read from {} files: decompress it first", compressed);
  }
  return format;
}

// The first bytes of a file. Of a pipe only a few, because waiting for more could block.
std::span<const std::byte> front_of(Input& input) {
  constexpr std::size_t kPipeBytes = 8;
  return input.peek(input.size() ? internal::signature::kFrontBytes : kPipeBytes);
}

std::string advice_of(const internal::signature::FileFormat& format, Purpose purpose) {
  return std::string(purpose == Purpose::kVectors ? format.cvc_advice : format.pco_advice);
}

// Refuses a file whose first bytes are those of another format than its name says.
void refuse_other_content(Input& input, const Format& format, Purpose purpose) {
  const bool is_compressed = !compressed_ending(input.path()).empty();
  if (!input.size() || is_compressed || (format.magic.empty() && format.content != kText)) return;
  const std::span<const std::byte> front = front_of(input);
  // Texts may begin like anything.
  if (format.content == kText && internal::signature::looks_like_text(front)) return;
  if (!format.magic.empty() && internal::signature::has_mark(front, {format.magic})) return;
  const internal::signature::FileFormat* found = internal::signature::find(front);
  if (found == nullptr) return;
  const Format* actual = by_magic(input, purpose);
  const std::string advice = actual != nullptr ? fmt::format("--from {} reads it", actual->name)
                                               : advice_of(*found, purpose);
  fail_usage(input.name(), "this is {}, not {} as its name says; {}", found->name, format.name,
             advice);
}

}  // namespace

std::string input_format_names(Purpose purpose) { return names_for_help(Use::kInput, purpose); }
std::string output_format_names(Purpose purpose) { return names_for_help(Use::kOutput, purpose); }

const Format& input_format(std::string_view name, Purpose purpose) {
  const Format* format = by_name(name, purpose);
  if (format == nullptr || format->open == nullptr) {
    fail_choice("--from", name, name_list(Use::kInput, purpose));
  }
  return *format;
}

const Format& output_format(std::string_view name, Purpose purpose) {
  const Format* format = by_name(name, purpose);
  if (format == nullptr || format->make == nullptr) {
    fail_choice("--to", name, name_list(Use::kOutput, purpose));
  }
  return *format;
}

const Format& guess_input_format(Input& input, bool dtype_given, Purpose purpose) {
  const Format* format = by_path(input, purpose);
  if (format != nullptr && format->open != nullptr) {
    refuse_other_content(input, *format, purpose);
    return *format;
  }
  // Raw numbers may begin with any bytes, so magic numbers of other formats mean nothing.
  if (dtype_given) return *by_name("raw", purpose);
  format = by_magic(input, purpose);
  if (format != nullptr) return *format;
  const internal::signature::FileFormat* found = internal::signature::find(front_of(input));
  if (found != nullptr && found != &internal::signature::kText) {
    fail_usage(input.name(), "this is {}; {}", found->name, advice_of(*found, purpose));
  }
  fail_usage(input.name(), "of unknown format, say --from with one of {} (raw needs --dtype{})",
             names(Use::kInput, purpose), purpose == Purpose::kVectors ? " and --dimension" : "");
}

const Format& guess_output_format(const std::string& path, Purpose purpose) {
  const Format* format = by_extension(path, purpose);
  if (format != nullptr && format->make != nullptr) return *format;
  fail_usage(path, "its ending names no format that is written, say --to with one of {}",
             names(Use::kOutput, purpose));
}

std::unique_ptr<TableInput> open_table(const std::string& path, const std::string& format_name,
                                       const InputOptions& options) {
  return open_table(std::make_unique<Input>(path), format_name, options);
}

std::unique_ptr<TableInput> open_table(std::unique_ptr<Input> input, const std::string& format_name,
                                       const InputOptions& options) {
  const Format& format =
      format_name.empty() ? guess_input_format(*input, options.dtype.has_value(), options.purpose)
                          : input_format(format_name, options.purpose);
  std::unique_ptr<TableInput> table = format.open(std::move(input), options);
  table->set_nulls(options.nulls);
  return table;
}

}  // namespace numpact::cli
