// SPDX-License-Identifier: Apache-2.0
#include "formats/other_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"
#include "numpact/trailer.hpp"

namespace numpact::cli {

std::string wrong_block(const table::Part& part, std::size_t index) {
  if (part.has_vectors()) {
    return fmt::format(
        "{}: {} another checksum than the manifest says", to_string(ErrorKind::kChecksum),
        index == 0 ? "the header of the file has" : fmt::format("chunk {} has", index - 1));
  }
  const std::uint64_t first = index == 0 ? 0 : (index - 1) * table::kOtherBatchRows;
  const std::string what =
      index == 0 ? "the beginning of the file (schema and dictionaries) has"
      : index + 1 == part.ends.size()
          ? "the end of the file (index of its batches) has"
          : fmt::format("rows {} to {} have", first,
                        std::min(first + table::kOtherBatchRows, part.rows) - 1);
  return fmt::format("{}: {} another checksum than the manifest says",
                     to_string(ErrorKind::kChecksum), what);
}

std::string wrong_size(const table::Part& part, std::uint64_t bytes) {
  return fmt::format("corrupt: has {} bytes, the manifest says {}", bytes, part.bytes);
}

void check_blocks(std::span<const std::byte> file, const table::Part& part,
                  const std::string& place) {
  if (file.size() != part.bytes) fail_corrupt(place, wrong_size(part, file.size()));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    const auto end = static_cast<std::size_t>(part.ends[i]);
    if (checksum_of(file.subspan(begin, end - begin)) != part.crc32[i]) {
      fail_corrupt(place, wrong_block(part, i));
    }
    begin = end;
  }
  table::Part found;
  check(table::checked_part(part.file, file, part.rows).into(found), place);
  if (found.ends != part.ends) {
    fail_corrupt(place, "corrupt: its batches or chunks do not end where the manifest says");
  }
}

}  // namespace numpact::cli
