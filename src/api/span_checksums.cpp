// SPDX-License-Identifier: Apache-2.0
#include "api/span_checksums.hpp"

#include "base/crc.hpp"
#include "base/internal.hpp"

namespace numpact {

void SpanChecksums::add(const Span& span) {
  if (span.begin == span.end) return;
  if (spans_.size() == kMaxSpans) merge_pairs();
  spans_.push_back(span);
}

void SpanChecksums::merge_pairs() {
  for (std::size_t i = 0; i < spans_.size() / 2; ++i) {
    const Span& a = spans_[2 * i];
    const Span& b = spans_[2 * i + 1];
    spans_[i] = {a.begin, b.end, a.numbers + b.numbers, join_crc32(a.crc, b.crc, b.end - b.begin)};
  }
  spans_.resize(spans_.size() / 2);
}

Status SpanChecksums::compare(const trailer::View& view) const {
  std::uint64_t chunk = 0;
  for (const Span& span : spans_) {
    const std::uint64_t first = chunk;
    std::uint64_t at = span.begin;
    std::uint64_t numbers = 0;
    std::uint32_t crc = 0;
    while (at < span.end && chunk < view.front.chunk_n) {
      const std::uint64_t end = view.end_of(chunk);
      crc = join_crc32(crc, view.record(chunk).crc, end - at);
      numbers += view.record(chunk).n;
      at = end;
      ++chunk;
    }
    const Status contradiction =
        Status(ErrorKind::kCorrupt, "the trailer contradicts the file", span.begin).at_chunk(first);
    if (at != span.end || view.record(first).offset != span.begin) return contradiction;
    if (crc != span.crc) {
      return Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                    span.begin)
          .at_chunk(first);
    }
    if (numbers != span.numbers) return contradiction;
  }
  if (chunk == view.front.chunk_n) return {};
  return Status(ErrorKind::kCorrupt, "the trailer contradicts the file", view.file_bytes);
}

}  // namespace numpact
