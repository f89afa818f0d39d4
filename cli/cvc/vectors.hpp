// SPDX-License-Identifier: Apache-2.0
// Vectors in files other than CVC: where they come from and where they go, whatever the format.
#ifndef NUMPACT_CLI_CVC_VECTORS_HPP
#define NUMPACT_CLI_CVC_VECTORS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/cvc/types.hpp"
#include "output_file.hpp"

namespace numpact::cli {

// Rows are handed on in pieces of about this many bytes, or of one row.
inline constexpr std::size_t kRowPieceBytes = std::size_t{1} << 22;

// Whether a column's values are numbers or lists of them. A list may have one number.
enum class Shape { kScalar, kList };

struct VectorColumn {
  std::string name;  // empty where the file has no names, too
  Shape shape = Shape::kList;
  std::uint64_t dimension = 0;              // numbers in a row, at least 1; 1 for scalars
  cvc::Dtype dtype = cvc::Dtype::kFloat32;  // of the rows; bfloat16 to write only
  std::string source_type;                  // as the file calls it
};

// Columns of equal length, from the first row to the last.
class VectorInput {
 public:
  virtual ~VectorInput() = default;
  // For messages.
  const std::string& name() const { return name_; }
  // At least one.
  const std::vector<VectorColumn>& columns() const { return columns_; }
  // What the user should know about how the file is read.
  const std::vector<std::string>& notes() const { return notes_; }
  // Columns have names (tables, tensors), or there is just one array (NPY, raw).
  bool has_names() const { return has_names_; }
  // How many, if that is known beforehand.
  virtual std::optional<std::uint64_t> rows() const { return std::nullopt; }
  // The next rows of every column, as many of each; none at the end. Valid until the next call.
  // Throws Failure.
  virtual std::span<const cvc::Rows> next() = 0;

 protected:
  explicit VectorInput(std::string name, bool has_names = false)
      : name_(std::move(name)), has_names_(has_names) {}
  std::string name_;
  std::vector<VectorColumn> columns_;
  std::vector<std::string> notes_;

 private:
  bool has_names_;
};

struct VectorOptions {
  std::string from;                  // the format; else told by the file
  std::vector<std::string> columns;  // the only ones wanted, by name or index; else all that can be
  std::string dtype;                 // raw: type of the numbers
  std::optional<std::uint64_t> dimension;  // raw: numbers in a row
};

// Opens a file, or standard input for "-".
//
// Numbers come in their own type if CVC files can be written from it. Wider ones stand for
// bfloat16 (float32), for 16-bit integers and uint32 (int32, int64) and for uint64 (int64; beyond
// its range is a failure).
std::unique_ptr<VectorInput> open_vectors(const std::string& path, const VectorOptions& options);

struct VectorPlan {
  std::vector<VectorColumn> columns;
  std::optional<std::uint64_t> rows;  // if that is known beforehand
};

// Writes columns of equal length. Does not commit the file.
class VectorOutput {
 public:
  virtual ~VectorOutput() = default;
  // The next rows: of every column of the plan as many, in its type, without gaps.
  virtual void write(std::span<const cvc::Rows> columns) = 0;
  virtual void finish() = 0;
};

// By the format's name, or by the ending of the path where that is empty.
std::unique_ptr<VectorOutput> make_vectors(OutputFile& file, std::string_view to,
                                           const VectorPlan& plan);
// Names of the formats, for help texts.
std::string input_vector_formats();
std::string output_vector_formats();

}  // namespace numpact::cli

#endif
