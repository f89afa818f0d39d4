// SPDX-License-Identifier: Apache-2.0
// Copies the rows of a part of a column to a new one.
#include <memory>
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

// Numbers that are decoded at once.
constexpr std::size_t kCopiedNumbers = std::size_t{1} << 14;

// Calls use(numbers) for each block of a file.
template <class Use>
Status read_file(Folder& folder, const std::string& name, const table::FileSum& sum,
                 NumberType type, table::Failure& failure, const Use& use) {
  failure.file = name;
  std::unique_ptr<RangeSource> file;
  NUMPACT_TRY(folder.open(name, failure.text).into(file));
  const std::span<const std::byte> bytes = *file->bytes();
  NUMPACT_TRY(check_sum(bytes, sum));
  MemorySource source(bytes);
  StreamReader reader(source);
  std::vector<std::uint64_t> numbers(kCopiedNumbers);
  for (std::size_t count = kCopiedNumbers; count == kCopiedNumbers;) {
    NUMPACT_TRY(reader.read(MutableNumberView(type, numbers.data(), kCopiedNumbers)).into(count));
    NUMPACT_TRY(use(NumberView(type, numbers.data(), count)));
  }
  NUMPACT_TRY(reader.check_trailer().status());
  return check_end(reader.file_end());
}

}  // namespace

Status copy_rows(Folder& folder, NumberType type, const table::NumberPart& part,
                 NumberPartFiles& out, table::Failure& failure) {
  std::uint64_t count = 0;
  NUMPACT_TRY(read_file(folder, part.file, part.sum, type, failure, [&](const NumberView& numbers) {
    count += numbers.count;
    return out.add_numbers(numbers);
  }));
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
  NUMPACT_TRY(
      read_file(folder, part.null_file, part.null_sum, NumberType::kU64, failure, add_runs));
  return check.finish();
}

}  // namespace numpact::internal
