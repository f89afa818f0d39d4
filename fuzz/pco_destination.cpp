// SPDX-License-Identifier: Apache-2.0
// Memory for the result that is too small, too large, or for a part of it.
#include "common/encoding.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

std::size_t draw_capacity(Draw& draw, std::size_t count) {
  switch (draw.below(4)) {
    default:
      return draw.below(count + 300);
    case 1:
      return count - std::min(count, std::size_t{draw.below(4)});
    case 2:
      return count + draw.below(4);
  }
}

void check_decoding(ByteSpan bytes, Draw& draw) {
  const ByteSpan file = guarded(bytes);
  FileHeader header;
  if (!read_header(file).into(header).ok() || !header.number_type) return;
  const NumberType type = *header.number_type;
  const Decoded all = decode(file);
  const std::size_t n = draw_capacity(draw, all.numbers.count());
  InTurn executor(3, draw.flag());
  DecodeConfig config = tight_config();
  if (draw.flag()) config.executor = &executor;

  const MutableNumberView out(type, guarded_output(n * size_of(type)).data(), n);
  std::size_t count = 0;
  const Status status = count_into(decompress_into(file, out, config), count);
  NUMPACT_REQUIRE(count <= n);
  NUMPACT_REQUIRE(is_prefix({type, out.data, count}, all.numbers.view()));
  const bool fits = n >= all.numbers.count();
  if (all.status.ok()) {
    NUMPACT_REQUIRE(status.ok() ? fits && count == all.numbers.count()
                                : !fits && status.kind() == ErrorKind::kOutputTooSmall);
  } else {
    NUMPACT_REQUIRE(!status.ok());
  }

  const MutableNumberView front(type, guarded_output(n * size_of(type)).data(), n);
  const Result<Front> found = decompress_front(file, front, config);
  const Status front_status = found.status();
  const bool is_finished = found.ok() && found->is_finished;
  count = found.ok() ? found->count : static_cast<std::size_t>(front_status.good_numbers());
  NUMPACT_REQUIRE(count <= n);
  if (!all.status.ok()) return;
  NUMPACT_REQUIRE(front_status.ok() && count == std::min(n, all.numbers.count()));
  NUMPACT_REQUIRE(is_prefix({type, front.data, count}, all.numbers.view()));
  if (is_finished) NUMPACT_REQUIRE(fits);
  if (n > all.numbers.count()) NUMPACT_REQUIRE(is_finished);
}

void check_encoding(const Encoded& encoded, Draw& draw) {
  const std::size_t n = draw_capacity(draw, encoded.file.size());
  const std::span<std::byte> out = guarded_output(n);
  InTurn executor(3, draw.flag());
  EncodeConfig config = encoded.config;
  if (draw.flag()) config.executor = &executor;
  std::size_t written = 0;
  const Status status = compress_into(encoded.numbers.view(), out, config).into(written);
  if (status.ok()) {
    NUMPACT_REQUIRE(testing::same_bytes(out.first(written), encoded.file));
  } else {
    NUMPACT_REQUIRE(status.kind() == ErrorKind::kOutputTooSmall);
    NUMPACT_REQUIRE(n < compress_bound(encoded.numbers.type(), encoded.numbers.count(), config));
  }
}

// Metadata and pages of a wrapped chunk.
void check_wrapped(const Encoded& encoded, Draw& draw) {
  Result<wrapped::ChunkEncoder> encoder =
      wrapped::ChunkEncoder::create(encoded.numbers.view(), encoded.config);
  if (!encoder.ok()) return;
  const std::size_t page = draw.below(encoder->page_count());
  const Bytes meta = encoder->meta().value();
  const Bytes bytes = encoder->page(page).value();
  std::size_t written = 0;
  std::span<std::byte> out = guarded_output(draw_capacity(draw, meta.size()));
  if (encoder->write_meta(out).into(written).ok()) {
    NUMPACT_REQUIRE(testing::same_bytes(out.first(written), meta));
  } else {
    NUMPACT_REQUIRE(out.size() < encoder->meta_size_bound());
  }
  out = guarded_output(draw_capacity(draw, bytes.size()));
  if (encoder->write_page(page, out).into(written).ok()) {
    NUMPACT_REQUIRE(testing::same_bytes(out.first(written), bytes));
  } else {
    NUMPACT_REQUIRE(out.size() < encoder->page_size_bound(page));
  }
}

void run_pco_destination(ByteSpan input) {
  Draw draw(input);
  switch (draw.below(4)) {
    default: {
      Encoded encoded = draw_encoded(draw, 3000);
      if (draw.flag()) patch(draw, encoded.file, 3);
      return check_decoding(encoded.file, draw);
    }
    case 1:
      return check_decoding(input, draw);
    case 2:
      return check_encoding(draw_encoded(draw, 3000), draw);
    case 3:
      return check_wrapped(draw_encoded(draw, 3000), draw);
  }
}

NUMPACT_FUZZ_TARGET(pco_destination, run_pco_destination)

}  // namespace
}  // namespace numpact::fuzz
