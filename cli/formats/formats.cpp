// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <utility>

#include "failure.hpp"
#include "formats/npy_header.hpp"
#include "io/decompressed_source.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

constexpr std::string_view kArrowStreamMagic = "\xff\xff\xff\xff";

constexpr Format kFormats[] = {
    {"text", {".txt"}, "", Content::kText, true, nullptr, make_text},
    {"npy", {".npy"}, kNpyMagic, Content::kBinary, false, open_npy, make_npy},
    {"raw", {".raw", ".bin"}, "", Content::kBinary, false, open_raw, make_raw},
    {"csv", {".csv"}, "", Content::kText, true, open_csv, make_csv},
    {"tsv", {".tsv", ".tab"}, "", Content::kText, true, open_tsv, make_tsv},
    {"parquet", {".parquet", ".pq"}, "PAR1", Content::kBinary, true, open_parquet, make_parquet},
    {"arrow",
     {".arrow", ".feather", ".ipc"},
     "ARROW1",
     Content::kBinary,
     true,
     open_arrow_file,
     make_arrow_file},
    {"arrows",
     {".arrows"},
     kArrowStreamMagic,
     Content::kBinary,
     true,
     open_arrow_stream,
     make_arrow_stream},
};

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

const Format* by_extension(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension.empty()) return nullptr;
  for (const Format& format : kFormats) {
    if (std::find(std::begin(format.extensions), std::end(format.extensions), extension) !=
        std::end(format.extensions)) {
      return &format;
    }
  }
  return nullptr;
}

const Format* by_name(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::vector<std::string> name_list(bool for_input) {
  std::vector<std::string> list;
  for (const Format& format : kFormats) {
    const bool is_fit = for_input ? format.open != nullptr : format.make != nullptr;
    if (is_fit) list.emplace_back(format.name);
  }
  return list;
}

std::string names(bool for_input) {
  return fmt::format("{}", fmt::join(name_list(for_input), ", "));
}

// "a, b or c".
std::string listed_with_or(const std::vector<std::string>& list) {
  const auto last = list.end() - 1;
  return fmt::format("{} or {}", fmt::join(list.begin(), last, ", "), *last);
}

const Format* by_magic(Input& input) {
  for (const Format& format : kFormats) {
    if (format.magic.empty()) continue;
    const std::span<const std::byte> front = input.peek(format.magic.size());
    if (front.size() == format.magic.size() &&
        std::memcmp(front.data(), format.magic.data(), front.size()) == 0) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::string input_format_names() { return listed_with_or(name_list(true)); }
std::string output_format_names() { return listed_with_or(name_list(false)); }

const Format& input_format(std::string_view name) {
  const Format* format = by_name(name);
  if (format == nullptr || format->open == nullptr) {
    fail_choice("--from", name, name_list(true));
  }
  return *format;
}

const Format& output_format(std::string_view name) {
  const Format* format = by_name(name);
  if (format == nullptr || format->make == nullptr) {
    fail_choice("--to", name, name_list(false));
  }
  return *format;
}

const Format& guess_input_format(Input& input, bool dtype_given) {
  const std::string_view compressed = compressed_ending(input.path());
  const Format* format =
      by_extension(input.path().substr(0, input.path().size() - compressed.size()));
  if (format != nullptr && !compressed.empty() && format->content != Content::kText) {
    throw Failure(ExitCode::kFailure, input.name(),
                  fmt::format("only text is read from {} files: decompress it first", compressed));
  }
  if (format != nullptr && format->open != nullptr) return *format;
  // Raw numbers may begin with any bytes, so magic numbers of other formats mean nothing.
  if (dtype_given) return *by_name("raw");
  format = by_magic(input);
  if (format != nullptr) return *format;
  fail_usage(
      input.name(),
      fmt::format("of unknown format, say --from with one of {} (raw needs --dtype)", names(true)));
}

const Format& guess_output_format(const std::string& path) {
  const Format* format = by_extension(path);
  if (format != nullptr) return *format;
  fail_usage(path,
             fmt::format("its ending names no format, say --to with one of {}", names(false)));
}

std::unique_ptr<TableInput> open_table(const std::string& path, const std::string& format_name,
                                       const InputOptions& options) {
  return open_table(std::make_unique<Input>(path), format_name, options);
}

std::unique_ptr<TableInput> open_table(std::unique_ptr<Input> input, const std::string& format_name,
                                       const InputOptions& options) {
  const Format& format = format_name.empty() ? guess_input_format(*input, options.dtype.has_value())
                                             : input_format(format_name);
  std::unique_ptr<TableInput> table = format.open(std::move(input), options);
  table->set_nulls(options.nulls);
  return table;
}

}  // namespace numpact::cli
