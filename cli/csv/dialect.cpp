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

// Fields of every record in `front` by this delimiter; 0 if records differ or cannot be read.
// `first_only`: looks at the first record alone.
std::size_t fields_by(char delimiter, std::string_view front, bool is_whole,
                      const CsvDialect& dialect, bool first_only) {
  CsvDialect tried = dialect;
  tried.delimiter = delimiter;
  MemorySource source(std::as_bytes(std::span(front)));
  CsvRecordReader reader(source, "");
  reader.set_dialect(tried);
  std::vector<CsvField> record;
  std::size_t count = 0;
  std::size_t pending = 0;  // the last record may be cut where the file goes on
  const auto is_empty_line = [&] {
    return record.size() == 1 && record[0].text.empty() && !record[0].is_quoted;
  };
  try {
    while (reader.next(record)) {
      if (is_empty_line()) continue;
      if (count != 0 && pending != 0 && pending != count) return 0;
      if (count == 0) count = record.size();
      if (first_only) return count;
      pending = record.size();
    }
  } catch (const Failure&) {
    // Else a quote that closes behind `front`.
    return is_whole || (pending != 0 && pending != count) ? 0 : count;
  }
  return is_whole && pending != count ? 0 : count;
}

}  // namespace

char recognise_delimiter(std::string_view front, bool is_whole, const CsvDialect& dialect) {
  constexpr char kUsual = ',';
  if (fields_by(kUsual, front, is_whole, dialect, true) > 1) return kUsual;
  char found = kUsual;
  std::size_t most = 1;
  for (const char candidate : {';', '\t', '|'}) {
    if (candidate == dialect.quote || candidate == dialect.decimal) continue;
    const std::size_t fields = fields_by(candidate, front, is_whole, dialect, false);
    if (fields <= most) continue;
    found = candidate;
    most = fields;
  }
  return found;
}

std::string delimiter_name(char delimiter) {
  return delimiter == '\t' ? "tab" : fmt::format("'{}'", delimiter);
}

}  // namespace numpact::cli
