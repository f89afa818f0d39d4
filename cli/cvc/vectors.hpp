// SPDX-License-Identifier: Apache-2.0
// Vectors in files other than CVC, independent of the format.
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

#include "io/output_file.hpp"
#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// Size of a block of rows; a block has at least one row. Larger blocks take more memory, smaller
// ones more calls.
inline constexpr std::size_t kRowBlockBytes = std::size_t{1} << 22;

// Whether a column's values are numbers or lists. A list may have one number.
enum class Shape { kScalar, kList };

struct VectorColumn {
  std::string name;  // empty if the file has no names
  Shape shape = Shape::kList;
  std::uint64_t dimension = 0;              // numbers in a row, at least 1; 1 for scalars
  cvc::Dtype dtype = cvc::Dtype::kFloat32;  // of the rows; bfloat16 for writing only
  std::string source_type;                  // name of the type in the source file
};

// Reads columns of equal length, from first to last row.
class VectorInput {
 public:
  virtual ~VectorInput() = default;
  // For messages.
  const std::string& name() const { return name_; }
  // At least one.
  const std::vector<VectorColumn>& columns() const { return columns_; }
  // Messages for the user about how the file is read.
  const std::vector<std::string>& notes() const { return notes_; }
  // True if columns have names (tables, tensors); false for a single array (NPY, raw).
  bool has_names() const { return has_names_; }
  // The count of rows, if known in advance.
  virtual std::optional<std::uint64_t> rows() const { return std::nullopt; }
  // Returns the next rows of every column, the same number of each; none at the end. Valid until
  // the next call. Throws Failure.
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
  std::string from;                        // the format; empty: detected
  std::vector<std::string> columns;        // by name or index; empty: all that can be read
  std::string dtype;                       // raw: type of the numbers
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
  std::optional<std::uint64_t> rows;  // if known in advance
};

// Writes columns of equal length. Does not commit the file.
class VectorOutput {
 public:
  virtual ~VectorOutput() = default;
  // Writes the next rows: the same number for every column of the plan, in its type, contiguous.
  virtual void write(std::span<const cvc::Rows> columns) = 0;
  virtual void finish() = 0;
};

// Chooses the format by name, or by the extension of the path if the name is empty.
std::unique_ptr<VectorOutput> make_vectors(OutputFile& file, std::string_view to,
                                           const VectorPlan& plan);
// Names of the formats, for help texts.
std::string input_vector_formats();
std::string output_vector_formats();

}  // namespace numpact::cli

#endif
