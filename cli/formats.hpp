// SPDX-License-Identifier: Apache-2.0
// The file formats that can be read and written besides Pco itself.
#ifndef NUMPACT_CLI_FORMATS_HPP
#define NUMPACT_CLI_FORMATS_HPP

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "files.hpp"
#include "output_file.hpp"
#include "table.hpp"

namespace numpact::cli {

using OpenInput = std::unique_ptr<TableInput>(std::unique_ptr<Input>, const InputOptions&);
using MakeOutput = std::unique_ptr<TableOutput>(OutputFile&, const OutputPlan&);

struct Format {
  std::string_view name;  // as --from and --to spell it
  std::string_view extensions[4];
  std::string_view magic;  // how its files begin; may be empty
  Content content;
  bool holds_nulls;  // when it is written
  OpenInput* open;   // null: is not read
  MakeOutput* make;  // null: is not written
};

std::span<const Format> formats();

// By name; fails if there is no such format or it does not go this way.
const Format& input_format(std::string_view name);
const Format& output_format(std::string_view name);

// By the file's extension, else raw if a number type is given, else by how it begins.
const Format& guess_input_format(Input& input, bool dtype_given);
// By the file's extension; fails if that says nothing.
const Format& guess_output_format(const std::string& path);

// Opens a file in the format of this name, or in the one that fits it.
std::unique_ptr<TableInput> open_table(const std::string& path, const std::string& format_name,
                                       const InputOptions& options);
// The same of what is open.
std::unique_ptr<TableInput> open_table(std::unique_ptr<Input> input, const std::string& format_name,
                                       const InputOptions& options);

OpenInput open_npy, open_raw, open_csv, open_tsv, open_parquet, open_arrow_file, open_arrow_stream;
MakeOutput make_text, make_npy, make_raw, make_csv, make_tsv, make_parquet, make_arrow_file,
    make_arrow_stream;

}  // namespace numpact::cli

#endif
