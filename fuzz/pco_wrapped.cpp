// SPDX-License-Identifier: Apache-2.0
// A chunk's metadata and a page of it, apart: any bytes, or those of an encoder with some changed.
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

struct Page {
  NumberType type = NumberType::kU8;
  wrapped::FormatVersion version;
  Bytes meta;
  Bytes bytes;
  std::size_t n = 0;
};

void read_header(Draw& draw, Page& page) {
  constexpr std::byte kHeaders[][2] = {{std::byte{0}}, {std::byte{1}},
                                       {std::byte{2}}, {std::byte{3}},
                                       {std::byte{4}}, {std::byte{4}, std::byte{1}}};
  wrapped::DecodedHeader front;
  const ByteSpan header(draw.pick(kHeaders));
  if (wrapped::decode_file_header(guarded(header)).into(front).ok()) page.version = front.version;
  NUMPACT_REQUIRE(front.size <= header.size());
}

Page draw_raw(Draw& draw) {
  Page page;
  page.type = draw_type(draw);
  read_header(draw, page);
  page.n = 1 + draw.below(2000);
  const std::size_t meta_bytes = draw.below(256);
  page.meta = testing::to_bytes(draw.take(meta_bytes));
  page.bytes = testing::to_bytes(draw.rest());
  return page;
}

Page draw_changed(Draw& draw) {
  Page page;
  page.type = draw_type(draw);
  const NumberArray numbers = draw_numbers(draw, page.type, 3000);
  EncodeConfig config = draw_config(draw, page.type, numbers.count());
  Result<wrapped::ChunkEncoder> encoder = wrapped::ChunkEncoder::create(numbers.view(), config);
  if (!encoder.ok()) return page;
  wrapped::DecodedHeader front;
  const Bytes header = wrapped::encode_file_header(config.compatibility);
  NUMPACT_REQUIRE(wrapped::decode_file_header(header).into(front).ok());
  page.version = front.version;
  const std::size_t index = draw.below(encoder->page_count());
  page.meta = encoder->meta().value();
  page.bytes = encoder->page(index).value();
  page.n = encoder->page_n(index);
  patch(draw, page.meta, 3);
  patch(draw, page.bytes, 3);
  if (draw.one_in(8)) page.n = 1 + draw.below(4000);
  return page;
}

// In parts of `step` numbers: the same numbers, or the same error.
void check_parts(const wrapped::ChunkDecoder& decoder, const Page& page, ByteSpan bytes,
                 std::size_t step, const Status& whole, const NumberView& numbers) {
  Result<wrapped::PageReader> reader = wrapped::PageReader::create(decoder);
  NUMPACT_REQUIRE(reader.ok());
  const std::size_t size = size_of(page.type);
  const auto* expected = static_cast<const std::byte*>(numbers.data);
  std::vector<std::byte> part(step * size);
  Status status = reader->start(bytes, page.n);
  while (status.ok() && reader->numbers_left() > 0) {
    std::size_t count = 0;
    status = reader->read({page.type, part.data(), step}).into(count);
    if (!status.ok() || !whole.ok()) continue;
    NUMPACT_REQUIRE(is_prefix({page.type, part.data(), count}, {page.type, expected, count}));
    expected += count * size;
  }
  NUMPACT_REQUIRE(same_status(status, whole));
}

// Several copies of a page in one call: the same numbers for each, or the same error.
void check_copies(const wrapped::ChunkDecoder& decoder, const Page& page, ByteSpan bytes,
                  const Status& whole, std::size_t consumed, const NumberView& numbers) {
  constexpr std::size_t kCopies = 8;      // pages that are decoded at once
  constexpr std::size_t kMaxN = 1 << 13;  // more takes too long
  if (page.n > kMaxN) return;
  const std::vector<wrapped::PageInput> pages(kCopies, {bytes, page.n});
  const std::size_t page_bytes = page.n * size_of(page.type);
  std::vector<std::byte> out(kCopies * page_bytes);
  const Status status = decoder.decode_pages(pages, {page.type, out.data(), kCopies * page.n});
  if (!whole.ok()) {
    NUMPACT_REQUIRE(same_status(status, whole));
    return;
  }
  NUMPACT_REQUIRE(status.ok() == (consumed == bytes.size()));
  for (std::size_t i = 0; status.ok() && i < kCopies; ++i) {
    NUMPACT_REQUIRE(is_prefix({page.type, out.data() + i * page_bytes, page.n}, numbers));
  }
}

void check(const Page& page, Draw& draw) {
  DecodeLimits limits;
  limits.max_memory = std::uint64_t{1} << 22;
  Result<wrapped::ChunkDecoder> decoder =
      wrapped::ChunkDecoder::create(guarded(page.meta), page.type, page.version, limits);
  if (!decoder.ok()) return;
  NUMPACT_REQUIRE(decoder->type() == page.type && decoder->meta_size() <= page.meta.size());
  NUMPACT_REQUIRE(!decoder->info().value().mode_text().empty());

  const ByteSpan bytes = guarded(page.bytes, Slot::kSecondFile);
  const std::size_t size = size_of(page.type);
  const MutableNumberView out(page.type, guarded_output(page.n * size).data(), page.n);
  std::size_t consumed = 0;
  const Status status = decoder->decode_page(bytes, page.n, out).into(consumed);
  if (status.ok()) NUMPACT_REQUIRE(consumed <= bytes.size());
  check_copies(*decoder, page, bytes, status, consumed, {page.type, out.data, page.n});
  // The front of it, by another way through the batches.
  const std::size_t few = draw.below(page.n + 1);
  const MutableNumberView front(page.type, guarded_output(few * size, Slot::kSecondOutput).data(),
                                few);
  const Status front_status = decoder->decode_page_front(bytes, page.n, front).into(consumed);
  check_parts(*decoder, page, bytes, few + 1, status, {page.type, out.data, page.n});
  if (!status.ok()) return;
  NUMPACT_REQUIRE(front_status.ok());
  NUMPACT_REQUIRE(is_prefix({page.type, front.data, few}, {page.type, out.data, page.n}));
}

void run_pco_wrapped(ByteSpan input) {
  Draw draw(input);
  const Page page = draw.flag() ? draw_changed(draw) : draw_raw(draw);
  if (page.n > 0) check(page, draw);
}

NUMPACT_FUZZ_TARGET(pco_wrapped, run_pco_wrapped)

}  // namespace
}  // namespace numpact::fuzz
