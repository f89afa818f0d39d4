// SPDX-License-Identifier: Apache-2.0
#include "cvc/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/npy_header.hpp"
#include "formats/table.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

constexpr VectorFormat kFormats[] = {
    {"npy", {".npy"}, open_npy_vectors, make_npy_vectors},
    {"raw", {".raw", ".bin"}, open_raw_vectors, make_raw_vectors},
    {"fvecs", {".fvecs"}, open_fvecs, make_fvecs},
    {"bvecs", {".bvecs"}, open_bvecs, make_bvecs},
    {"ivecs", {".ivecs"}, open_ivecs, make_ivecs},
    {"safetensors", {".safetensors"}, open_safetensors, make_safetensors},
    {"parquet", {".parquet", ".pq"}, open_parquet_vectors, make_parquet_vectors},
    {"arrow", {".arrow", ".feather", ".ipc"}, open_arrow_vectors, make_arrow_vectors},
    {"arrows", {".arrows"}, open_arrows_vectors, make_arrows_vectors},
};

struct Magic {
  std::string_view format;
  std::string_view bytes;
};

constexpr Magic kMagics[] = {
    {"npy", kNpyMagic}, {"parquet", "PAR1"}, {"arrow", "ARROW1"}, {"arrows", "\xff\xff\xff\xff"}};

const VectorFormat* by_name(std::string_view name) {
  for (const VectorFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const VectorFormat* by_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty()) return nullptr;
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const VectorFormat& format : kFormats) {
    if (std::find(std::begin(format.extensions), std::end(format.extensions), extension) !=
        std::end(format.extensions)) {
      return &format;
    }
  }
  return nullptr;
}

const VectorFormat* by_magic(Input& input) {
  for (const Magic& magic : kMagics) {
    const std::span<const std::byte> front = input.peek(magic.bytes.size());
    if (front.size() == magic.bytes.size() &&
        std::memcmp(front.data(), magic.bytes.data(), front.size()) == 0) {
      return by_name(magic.format);
    }
  }
  return nullptr;
}

std::vector<std::string> format_list() {
  std::vector<std::string> names;
  for (const VectorFormat& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string format_names() { return fmt::format("{}", fmt::join(format_list(), ", ")); }

const VectorFormat& input_format(Input& input, const VectorOptions& options) {
  const VectorFormat* format = nullptr;
  if (!options.from.empty()) {
    format = by_name(options.from);
    if (format != nullptr) return *format;
    fail_choice("--from", options.from, format_list());
  }
  format = by_extension(input.path());
  if (format != nullptr) return *format;
  // Raw numbers may begin with any bytes, so magic numbers of other formats mean nothing.
  if (!options.dtype.empty()) return *by_name("raw");
  format = by_magic(input);
  if (format != nullptr) return *format;
  fail_usage(input.name(), fmt::format("of unknown format, say --from with one of {} (raw needs "
                                       "--dtype and --dimension)",
                                       format_names()));
}

}  // namespace

std::span<const VectorFormat> vector_formats() { return kFormats; }

std::string input_vector_formats() { return format_names(); }
std::string output_vector_formats() { return format_names(); }

std::unique_ptr<VectorInput> open_vectors(const std::string& path, const VectorOptions& options) {
  auto input = std::make_unique<Input>(path);
  const VectorFormat& format = input_format(*input, options);
  if (format.name != "raw" && (!options.dtype.empty() || options.dimension)) {
    fail_usage(options.dtype.empty() ? "--dimension" : "--dtype", "is for raw vectors only");
  }
  return format.open(std::move(input), options);
}

std::unique_ptr<VectorOutput> make_vectors(OutputFile& file, std::string_view to,
                                           const VectorPlan& plan) {
  const VectorFormat* format = to.empty() ? by_extension(file.name()) : by_name(to);
  if (format != nullptr) return format->make(file, plan);
  if (!to.empty()) fail_choice("--to", to, format_list());
  fail_usage(file.name(),
             fmt::format("its ending names no format, say --to with one of {}", format_names()));
}

std::vector<std::size_t> choose_columns(std::span<const std::string> names,
                                        const VectorOptions& options, const std::string& file) {
  std::vector<std::size_t> chosen;
  if (options.columns.empty()) {
    for (std::size_t i = 0; i < names.size(); ++i) chosen.push_back(i);
  }
  for (const std::string& requested : options.columns) {
    const std::size_t index = find_name(names, file, requested);
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) {
      fail_usage("--column", fmt::format("names '{}' twice", names[index]));
    }
    chosen.push_back(index);
  }
  return chosen;
}

void refuse_columns(const VectorOptions& options, const std::string& file) {
  if (!options.columns.empty()) fail_usage(file, "has no columns to choose from (--column)");
}

const VectorColumn& only_column(const OutputFile& file, const VectorPlan& plan) {
  if (plan.columns.size() != 1) {
    fail_usage(file.name(), "this format holds one column (choose it with --column)");
  }
  return plan.columns[0];
}

}  // namespace numpact::cli
