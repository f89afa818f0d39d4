// SPDX-License-Identifier: Apache-2.0
#include "csv/dialect.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "csv/record_reader.hpp"
#include "failure.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {
namespace {

// The number of fields of the records in `front` with this delimiter; 0 if the records differ or
// cannot be parsed. `first_only`: looks at the first record only.
std::size_t count_fields(char delimiter, std::string_view front, bool is_whole,
                         const CsvDialect& dialect, bool first_only) {
  CsvDialect candidate_dialect = dialect;
  candidate_dialect.delimiter = delimiter;
  MemorySource source(std::as_bytes(std::span(front)));
  CsvRecordReader reader(source, "", front.size());
  reader.set_dialect(candidate_dialect);
  std::vector<CsvField> record;
  std::size_t count = 0;
  std::size_t pending =
      0;  // fields of the last record, which may be truncated at the end of `front`
  const auto is_empty_line = [&] {
    return record.size() == 1 && record[0].text.empty() && !record[0].is_quoted;
  };
  try {
    while (reader.next(record)) {
      if (is_empty_line()) continue;
      if (count != 0 && pending != 0 && pending != count) return 0;
      if (count == 0) count = record.size();
      if (first_only || count == 1) return count;  // one field is no reason for a delimiter
      pending = record.size();
    }
  } catch (const Failure&) {
    // If more of the file follows, the error may be a quote that closes after `front`.
    return is_whole || (pending != 0 && pending != count) ? 0 : count;
  }
  return is_whole && pending != count ? 0 : count;
}

}  // namespace

char detect_delimiter(std::string_view front, bool is_whole, const CsvDialect& dialect) {
  constexpr char kDefaultDelimiter = ',';
  if (count_fields(kDefaultDelimiter, front, is_whole, dialect, true) > 1) return kDefaultDelimiter;
  char found = kDefaultDelimiter;
  std::size_t max_fields = 1;
  for (const char candidate : {';', '\t', '|'}) {
    if (candidate == dialect.quote || candidate == dialect.decimal) continue;
    const std::size_t fields = count_fields(candidate, front, is_whole, dialect, false);
    if (fields <= max_fields) continue;
    found = candidate;
    max_fields = fields;
  }
  return found;
}

std::string delimiter_name(char delimiter) {
  return delimiter == '\t' ? "tab" : fmt::format("'{}'", delimiter);
}

}  // namespace numpact::cli
