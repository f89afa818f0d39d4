// SPDX-License-Identifier: Apache-2.0
// Copies the rows of parts of a column to a new one.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/file_end.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"
#include "table/reader/column_file.hpp"
#include "table/writer/state.hpp"

namespace numpact::internal {
namespace {

// Calls use(numbers) for each block of a file.
template <class Use>
Status read_file(Folder& folder, const std::string& name, const table::FileSum& sum,
                 NumberType type, const BlockReading& how, table::Failure& failure,
                 const Use& use) {
  failure.file = name;
  std::unique_ptr<RangeSource> file;
  NUMPACT_TRY(folder.open(name, failure.text).into(file));
  const std::span<const std::byte> bytes = *file->bytes();
  NUMPACT_TRY(check_sum(bytes, sum));
  MemorySource source(bytes);
  StreamReader reader(source, how.config);
  std::vector<std::uint64_t> numbers(how.numbers);
  for (std::size_t count = how.numbers; count == how.numbers;) {
    NUMPACT_TRY(reader.read(MutableNumberView(type, numbers.data(), how.numbers)).into(count));
    NUMPACT_TRY(use(NumberView(type, numbers.data(), count)));
  }
  NUMPACT_TRY(reader.check_trailer().status());
  return check_end(reader.file_end());
}

// Adds the rows of a part of a column to its new part, converted if there is a widening. All
// checksums of its files are compared, so that damage does not get new ones.
Status copy_rows(Folder& folder, NumberType type, const table::NumberPart& part, Widening* widening,
                 NumberPartFiles& out, table::Failure& failure) {
  std::uint64_t count = 0;
  const auto add = [&](const NumberView& numbers) -> Status {
    count += numbers.count;
    if (widening == nullptr) return out.add_numbers(numbers);
    NumberView wide;
    NUMPACT_TRY(widening->convert(numbers, {}, wide));
    return out.add_numbers(wide);
  };
  NUMPACT_TRY(read_file(folder, part.file, part.sum, type, BlockReading(out.config(), part.count),
                        failure, add));
  if (count != part.count) {
    return Status(ErrorKind::kCorrupt, "the file has another count of numbers than the manifest");
  }
  if (part.null_count == 0) return out.add_run(false, part.count);
  table::NullRunCheck check(part.count, part.null_count);
  bool is_null = false;
  const auto add_runs = [&](const NumberView& numbers) -> Status {
    const std::span lengths(static_cast<const std::uint64_t*>(numbers.data), numbers.count);
    NUMPACT_TRY(check.add(lengths));
    for (const std::uint64_t length : lengths) {
      NUMPACT_TRY(out.add_run(is_null, length));
      is_null = !is_null;
    }
    return {};
  };
  NUMPACT_TRY(read_file(folder, part.null_file, part.null_sum, NumberType::kU64,
                        BlockReading(out.config(), 0), failure, add_runs));
  return check.finish();
}

}  // namespace
}  // namespace numpact::internal

namespace numpact::table {

// Creates the files of a column of numbers, with the rows that are copied.
Status TableWriter::State::begin(std::size_t column, Failure* failure) {
  State::Written& to = columns[column];
  if (to.numbers != nullptr) return {};
  const ColumnPlan& planned = plan.columns[column];
  const table::Column& described = described_of(column);
  internal::NumberPartFiles::Options options;
  options.folder = folder;
  options.file = planned.file;
  options.null_file = planned.null_file;
  options.type = described.type;
  options.config = config.encode;
  if (described.kind == Kind::kText) {  // what was asked for applies to numbers
    options.config.mode = ModeSpec::automatic();
    options.config.delta = DeltaSpec::automatic();
  }
  const std::uint64_t rows = to.expected_rows > 0 ? to.expected_rows : config.rows;
  options.rows = rows > 0 ? rows + planned.old_rows() : 0;
  options.memory = config.memory;
  options.verify = config.verify;
  options.is_private = plan.kind != WritePlan::Kind::kCreate;
  options.stays_open = stays_open();
  to.numbers = std::make_unique<internal::NumberPartFiles>(std::move(options));
  if (const Status status = to.numbers->create(); !status.ok()) {
    return fail(failure, status, planned.file, described.name);
  }
  if (const Status status = to.numbers->add_run(true, planned.null_rows); !status.ok()) {
    return fail(failure, status, planned.null_file, described.name);
  }
  std::optional<internal::Widening> widening;
  if (planned.copied_type)
    widening.emplace(*planned.copied_type, internal::value_type_of(described));
  const NumberType type = planned.copied_type ? planned.copied_type->type : described.type;
  Failure inside;
  for (const NumberPart& part : planned.numbers) {
    const Status status =
        internal::copy_rows(*old, type, part, widening ? &*widening : nullptr, *to.numbers, inside);
    if (status.ok()) continue;
    if (widening && inside.text.empty()) inside.text = widening->problem();
    return fail(failure, status, inside.file.empty() ? planned.file : inside.file, described.name,
                inside.text);
  }
  to.numbers->set_rounder(to.rounder.get());
  return {};
}

}  // namespace numpact::table
