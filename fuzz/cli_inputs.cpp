// SPDX-License-Identifier: Apache-2.0
// Inputs of the command line tool: NPY, raw numbers, CSV (where Arrow is there, which reads it),
// and files of vectors. Whatever is wrong is told by a Failure.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/internal.hpp"
#include "common/draw.hpp"
#include "common/target.hpp"
#include "cvc/vectors.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/table.hpp"

namespace numpact::fuzz {
namespace {

// A file in memory with these bytes; its path.
std::string file_of(ByteSpan bytes) {
  static const int descriptor = ::memfd_create("input", MFD_CLOEXEC);
  NUMPACT_REQUIRE(descriptor >= 0 && ::ftruncate(descriptor, 0) == 0);
  NUMPACT_REQUIRE(::pwrite(descriptor, bytes.data(), bytes.size(), 0) ==
                  static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(descriptor);
}

// So that each byte is looked at.
unsigned sum_of(ByteSpan bytes) {
  unsigned sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<unsigned>(byte);
  return sum;
}

void read_table(Draw& draw) {
  constexpr const char* kFormats[] = {"npy", "raw", "csv", "tsv", ""};
  const std::string format = draw.pick(kFormats);
  cli::InputOptions options;
  if (draw.flag()) options.dtype = draw.pick(kNumberTypes);
  if (draw.one_in(8)) options.column = std::to_string(draw.below(3));
  options.nulls = draw.flag() ? cli::NullPolicy::kDrop : cli::NullPolicy::kError;
  options.flatten = draw.flag();
  options.csv.has_header = draw.flag();
  const std::string path = file_of(draw.rest());
  const std::unique_ptr<cli::TableInput> table = cli::open_table(path, format, options);
  NUMPACT_REQUIRE(!table->columns().empty());
  const std::size_t columns = table->has_names() ? table->columns().size() : 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(columns, 8); ++i) {
    if (!table->columns()[i].unfit.empty()) continue;
    cli::Column column;
    const auto input = cli::open_column(*table, i, path, options.dtype, column);
    std::uint64_t count = 0;
    for (NumberView block = input->next(); block.count > 0; block = input->next()) {
      NUMPACT_REQUIRE(block.type == column.type);
      (void)sum_of(cli::bytes_of(block));
      count += block.count;
    }
    if (input->count()) NUMPACT_REQUIRE(*input->count() == count);
  }
}

void read_vectors(Draw& draw) {
  constexpr const char* kFormats[] = {"npy",  "raw",   "fvecs", "bvecs",      "ivecs",
                                      "fbin", "u8bin", "ibin",  "safetensors"};
  constexpr const char* kTypes[] = {"f32", "bf16", "u64", "i8", "float64", "x"};
  cli::VectorOptions options;
  options.from = draw.pick(kFormats);
  if (options.from == "raw") {
    options.dtype = draw.pick(kTypes);
    options.dimension = draw.below(300);
  }
  if (draw.one_in(8)) options.columns.push_back(std::to_string(draw.below(3)));
  const auto input = cli::open_vectors(file_of(draw.rest()), options);
  NUMPACT_REQUIRE(!input->columns().empty());
  std::uint64_t count = 0;
  for (auto columns = input->next(); !columns.empty(); columns = input->next()) {
    NUMPACT_REQUIRE(columns.size() == input->columns().size());
    for (const cvc::Rows& rows : columns) {
      NUMPACT_REQUIRE(rows.count == columns[0].count && rows.count > 0);
      const std::size_t row_bytes =
          static_cast<std::size_t>(rows.dimension) * cvc::size_of(rows.dtype);
      const std::size_t stride = rows.stride == 0 ? row_bytes : rows.stride;
      for (std::uint64_t row = 0; row < rows.count; ++row) {
        (void)sum_of({static_cast<const std::byte*>(rows.data) + row * stride, row_bytes});
      }
    }
    count += columns[0].count;
  }
  if (input->rows()) NUMPACT_REQUIRE(*input->rows() == count);
}

void run_cli_inputs(ByteSpan input) {
  Draw draw(input);
  try {
    draw.flag() ? read_vectors(draw) : read_table(draw);
  } catch (const cli::Failure& failure) {
    NUMPACT_REQUIRE(failure.what()[0] != '\0');
  } catch (const Error& error) {
    NUMPACT_REQUIRE(error.kind() != ErrorKind::kOutOfMemory);
  }
}

NUMPACT_FUZZ_TARGET(cli_inputs, run_cli_inputs)

}  // namespace
}  // namespace numpact::fuzz
