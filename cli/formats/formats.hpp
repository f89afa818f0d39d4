// SPDX-License-Identifier: Apache-2.0
// File formats other than Pco and CVC that can be read and written: one table of them all, which
// help texts and error messages take their lists of names from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "formats/table.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"

namespace numpact::cli {

using OpenInput = std::unique_ptr<TableInput>(std::unique_ptr<Input>, const InputOptions&);
using MakeOutput = std::unique_ptr<TableOutput>(OutputFile&, const OutputPlan&);

enum class Purposes : std::uint8_t { kNumbers, kVectors, kBoth };

struct Format {
  std::string_view name;  // as --from and --to spell it
  std::string_view extensions[4];
  std::string_view magic;  // leading bytes of its files; may be empty
  Content content;
  bool holds_nulls;  // whether its files can represent nulls
  Purposes purposes;
  std::string_view column_noun;  // what its named columns are called; empty: they have no names
  OpenInput* open;               // null: cannot be read
  MakeOutput* make;              // null: cannot be written
};

// Names of the formats that can be read or written for a purpose, for help texts.
std::string input_format_names(Purpose purpose);
std::string output_format_names(Purpose purpose);

// Looks up a format by name. Fails if there is none for the purpose.
const Format& input_format(std::string_view name, Purpose purpose);
const Format& output_format(std::string_view name, Purpose purpose);

// Chosen by the file's extension, else raw if a number type is given, else by the leading bytes.
const Format& guess_input_format(Input& input, bool dtype_given, Purpose purpose);
// Chosen by the file's extension. Fails if that is unknown.
const Format& guess_output_format(const std::string& path, Purpose purpose);

// Opens a file in the named format, or in the detected one if the name is empty.
std::unique_ptr<TableInput> open_table(const std::string& path, const std::string& format_name,
                                       const InputOptions& options);
// Same for an open file.
std::unique_ptr<TableInput> open_table(std::unique_ptr<Input> input, const std::string& format_name,
                                       const InputOptions& options);

OpenInput open_npy, open_raw, open_fvecs, open_bvecs, open_ivecs, open_fbin, open_u8bin, open_i8bin,
    open_ibin, open_safetensors, open_csv, open_tsv, open_parquet, open_arrow_file,
    open_arrow_stream;
MakeOutput make_text, make_npy, make_raw, make_fvecs, make_bvecs, make_ivecs, make_safetensors,
    make_csv, make_tsv, make_parquet, make_arrow_file, make_arrow_stream;

}  // namespace numpact::cli
