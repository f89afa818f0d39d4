// SPDX-License-Identifier: Apache-2.0
// Ranges, single rows, chunks, sections and columns are slices of the whole.
#include "common/cvc_checks.hpp"
#include "common/guarded_buffer.hpp"
#include "common/vectors.hpp"

namespace numpact::fuzz {
namespace {

// All columns at once, some of them perhaps twice.
void check_columns(const cvc::Reader& reader, Draw& draw) {
  const cvc::Info& info = reader.info();
  const cvc::RowRange range{draw.below(reader.rows() + 1), 0};
  const cvc::RowRange rows{range.first, draw.below(reader.rows() - range.first + 1)};
  std::vector<cvc::Target> targets;
  std::vector<Bytes> outputs;
  for (std::uint64_t n = draw.between(1, 5); n > 0; --n) {
    const std::size_t column = draw.below(info.columns.size());
    const cvc::Dtype dtype = draw_dtype(draw, info.columns[column]);
    const std::uint64_t dimension = info.columns[column].dimension;
    outputs.emplace_back(rows.count * dimension * cvc::size_of(dtype));
    targets.push_back({{dtype, outputs.back().data(), rows.count, dimension}, column});
  }
  NUMPACT_REQUIRE(reader.read({&rows, 1}, targets, tight_read_config()).ok());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const cvc::MutableRows& to = targets[i].rows;
    const ColumnValues whole = read_column(reader, targets[i].column, to.dtype);
    const std::size_t first = rows.first * to.dimension * cvc::size_of(to.dtype);
    NUMPACT_REQUIRE(whole.status.ok());
    NUMPACT_REQUIRE(
        testing::same_bytes(ByteSpan(whole.bytes).subspan(first, outputs[i].size()), outputs[i]));
  }
}

void run_cvc_range(ByteSpan input) {
  Draw draw(input);
  const std::optional<VectorFile> file = draw_vectors(draw);
  if (!file) return;
  const ByteSpan bytes = guarded(file->bytes);
  Result<cvc::Reader> reader = cvc::Reader::create(bytes, tight_read_config().limits);
  NUMPACT_REQUIRE(reader.ok() && reader->rows() == file->rows);
  for (int i = 0; i < 3; ++i) {
    const std::size_t column = draw.below(reader->info().columns.size());
    check_parts(bytes, *reader, column, draw);
  }
  check_columns(*reader, draw);
}

NUMPACT_FUZZ_TARGET(cvc_range, run_cvc_range)

}  // namespace
}  // namespace numpact::fuzz
