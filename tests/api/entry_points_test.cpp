// SPDX-License-Identifier: Apache-2.0
// Invalid arguments of every entry point: nonexistent types, null pointers, moved-from objects, and
// sources, sinks, memory, executors and progress functions that throw or lie. Each is reported as
// an error and never ends the program.
#include <gtest/gtest.h>

#include <memory_resource>
#include <utility>

#include "entry_point_samples.hpp"
#include "numpact/cvc.hpp"
#include "numpact/trailer.hpp"
#include "numpact/wrapped.hpp"

namespace numpact::testing {
namespace {

using wrapped::ChunkDecoder;
using wrapped::ChunkEncoder;

// ---- types ----

// Neither 0 nor undocumented values are types.
constexpr NumberType kNoTypes[] = {NumberType{0}, NumberType{12}, NumberType{17}, NumberType{255}};

TEST(EntryPoints, NonexistentNumberTypes) {
  const Bytes file = sample_file();
  std::vector<std::uint64_t> memory(5000);
  for (const NumberType type : kNoTypes) {
    SCOPED_TRACE(static_cast<int>(type));
    const NumberView numbers(type, memory.data(), 17);
    const MutableNumberView out(type, memory.data(), 17);
    Bytes bytes;
    Bytes output(1000);
    std::size_t written = 0;
    std::size_t count = 0;
    EXPECT_KIND(compress(numbers).into(bytes), kInvalidArgument);
    EXPECT_KIND(compress_into(numbers, output).into(written), kInvalidArgument);
    EXPECT_KIND(count_into(decompress_into(file, out), count), kInvalidArgument);
    EXPECT_KIND(decompress_front(file, out), kInvalidArgument);
    EXPECT_KIND(ChunkEncoder::create(numbers).status(), kInvalidArgument);
    EXPECT_KIND(ChunkDecoder::create(file, type, wrapped::kCurrentVersion).status(),
                kInvalidArgument);
    Result<FileReader> reader = FileReader::create(file);
    ASSERT_OK(reader.status());
    EXPECT_KIND(reader->read(0, out), kInvalidArgument);
    Explanation explanation;
    EXPECT_KIND(explain(numbers).into(explanation), kInvalidArgument);
    EXPECT_KIND(ChunkIndex::from_chunks(type, {}).status(), kInvalidArgument);
    EXPECT_KIND(append_to_file("/nonexistent/a.pco", numbers), kInvalidArgument);
    VectorSink sink(bytes);
    EXPECT_KIND(StreamWriter(sink, type).write(numbers), kInvalidArgument);
    EXPECT_KIND(StreamWriter(sink, type).finish(), kInvalidArgument);
    EXPECT_KIND(StreamWriter(sink, NumberType::kU8).write(numbers), kInvalidArgument);
    MemorySource source(file);
    StreamReader stream(source);
    EXPECT_KIND(count_into(stream.read(out), count), kInvalidArgument);
    // The reader is unchanged by the error.
    Numbers right = zeros(NumberType::kI32, 10);
    EXPECT_OK(count_into(stream.read(writable(right)), count));
    EXPECT_EQ(name_of(type), "unknown");
    EXPECT_EQ(size_of(type), 0u);
    static_cast<void>(compress_bound(type, 100));
    static_cast<void>(to_ordered_latent(type, 5));
  }
}

TEST(EntryPoints, NonexistentValueTypes) {
  const Bytes file = sample_cvc();
  const cvc::Reader reader = cvc::Reader::create(file).value();
  std::vector<float> values(600);
  for (const int number : {100, 200, 255}) {
    const auto dtype = static_cast<cvc::Dtype>(number);
    const cvc::RowRange all{0, 200};
    const cvc::Target target{cvc::MutableRows(dtype, values.data(), 200, 3), 0};
    EXPECT_KIND(reader.read({&all, 1}, {&target, 1}), kInvalidArgument);
    const std::uint64_t row = 7;
    EXPECT_KIND(reader.gather({&row, 1}, {&target, 1}), kInvalidArgument);
    cvc::StoredSlice slice;
    ASSERT_OK(reader.stored_slice(0, 0).into(slice));
    EXPECT_KIND(cvc::decode_slice(slice, {0, 10}, target.rows), kInvalidArgument);
    Bytes out;
    cvc::Writer writer = cvc::Writer::create(out, {}).value();
    EXPECT_KIND(writer.append(cvc::Rows(dtype, values.data(), 200, 3)), kInvalidArgument);
    cvc::WriteConfig columns;
    columns.version = cvc::Version::kV20;
    columns.columns.push_back({"a", 1, dtype, std::nullopt, false});
    EXPECT_KIND(cvc::Writer::create(out, columns).status(), kInvalidArgument);
  }
}

// ---- null pointers and positions out of range ----

TEST(EntryPoints, NullNumbersWithACount) {
  const Bytes file = sample_file();
  const NumberView numbers(NumberType::kI32, nullptr, 5);
  const MutableNumberView out(NumberType::kI32, nullptr, 5);
  Bytes bytes;
  std::size_t written = 0;
  std::size_t count = 0;
  EXPECT_KIND(compress(numbers).into(bytes), kInvalidArgument);
  EXPECT_KIND(compress_into(numbers, {}).into(written), kInvalidArgument);
  EXPECT_KIND(count_into(decompress_into(file, out), count), kInvalidArgument);
  EXPECT_KIND(decompress_front(file, out), kInvalidArgument);
  EXPECT_KIND(ChunkEncoder::create(numbers).status(), kInvalidArgument);
  EXPECT_KIND(ChunkEncoder::create(sample_numbers().view(), {}, nullptr).status(),
              kInvalidArgument);
  EXPECT_KIND(FileReader::create(file)->read(0, out), kInvalidArgument);
  Explanation explanation;
  EXPECT_KIND(explain(numbers).into(explanation), kInvalidArgument);
  VectorSink sink(bytes);
  EXPECT_KIND(StreamWriter(sink, NumberType::kI32).write(numbers), kInvalidArgument);
  MemorySource source(file);
  EXPECT_KIND(count_into(StreamReader(source).read(out), count), kInvalidArgument);
  EXPECT_KIND(append_to_file("/nonexistent/a.pco", numbers), kInvalidArgument);
  // The same for null byte spans.
  const std::byte* const nowhere = nullptr;
  std::byte* const null_output = nullptr;
  const std::span<const std::byte> no_file(nowhere, 100);
  const std::span<std::byte> no_output(null_output, 100);
  Numbers some = zeros(NumberType::kI32, 5000);
  FileHeader header;
  FileInfo info;
  ChunkIndex index;
  std::optional<Trailer> trailer;
  EXPECT_KIND(read_header(no_file).into(header), kInvalidArgument);
  EXPECT_KIND(count_into(decompress_into(no_file, writable(some)), count), kInvalidArgument);
  EXPECT_KIND(inspect_into(no_file, info), kInvalidArgument);
  EXPECT_KIND(ChunkIndex::build(no_file).into(index), kInvalidArgument);
  EXPECT_OK(Trailer::read(no_file).into(trailer));
  EXPECT_FALSE(trailer);
  EXPECT_KIND(compress_into(sample_numbers().view(), no_output).into(written), kInvalidArgument);
  EXPECT_KIND(wrapped::decode_file_header(no_file), kInvalidArgument);
  EXPECT_KIND(ChunkDecoder::create(no_file, NumberType::kI32, wrapped::kCurrentVersion),
              kInvalidArgument);
  const ChunkEncoder encoder = ChunkEncoder::create(sample_numbers().view()).value();
  EXPECT_KIND(encoder.write_meta(no_output).into(written), kInvalidArgument);
  EXPECT_KIND(encoder.write_page(0, no_output).into(written), kInvalidArgument);
  EXPECT_KIND(cvc::Reader::create(no_file).status(), kInvalidArgument);
  const Bytes vectors = sample_cvc();
  const cvc::Reader reader = cvc::Reader::create(vectors).value();
  std::vector<cvc::CodeRun> runs;
  EXPECT_KIND(reader.read_codes({0, 10}, 0, no_output, 0).into(runs), kInvalidArgument);
  const std::uint64_t* const no_rows = nullptr;
  EXPECT_KIND(reader.gather({no_rows, 7}, {}), kInvalidArgument);
  // Empty views may have a null pointer.
  EXPECT_OK(compress(NumberView(NumberType::kI32, nullptr, 0)).into(bytes));
  EXPECT_OK(
      count_into(decompress_into(bytes, MutableNumberView(NumberType::kI32, nullptr, 0)), count));
  // More than memory can hold.
  const NumberView huge(NumberType::kF64, bytes.data(), SIZE_MAX / 4);
  EXPECT_KIND(compress(huge).into(bytes), kInvalidArgument);
}

TEST(EntryPoints, PagesOutOfRange) {
  const ChunkEncoder encoder = ChunkEncoder::create(sample_numbers().view(), paged()).value();
  ASSERT_EQ(encoder.page_count(), 8u);
  Bytes output(10'000);
  for (const std::size_t page : {std::size_t{8}, std::size_t{9}, SIZE_MAX}) {
    EXPECT_EQ(encoder.page_n(page), 0u);
    EXPECT_EQ(encoder.page_size_bound(page), 0u);
    EXPECT_KIND(encoder.write_page(page, output).status(), kInvalidArgument);
    EXPECT_THROW(static_cast<void>(encoder.page(page).value()), Error);
  }
  const ChunkIndex index = ChunkIndex::build(sample_file()).value();
  EXPECT_EQ(index.chunk(index.chunk_count()), IndexedChunk());
  EXPECT_EQ(cvc::Reader::create(sample_cvc()).value().chunk_of(200), 4u);
}

// ---- moved-from objects ----

// Their use fails in a defined way.
// NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move)

TEST(MovedFromObjects, Readers) {
  const Bytes file = sample_file();
  Numbers out = zeros(NumberType::kI32, 5000);
  std::size_t n = 0;
  MemorySource source(file);
  StreamReader reader(source);
  const StreamReader other_reader = std::move(reader);
  FileHeader header;
  TrailerState state;
  EXPECT_KIND(reader.header().into(header), kInvalidArgument);
  EXPECT_KIND(count_into(reader.read(writable(out)), n), kInvalidArgument);
  EXPECT_KIND(reader.check_trailer().into(state), kInvalidArgument);
  EXPECT_EQ(reader.bytes_consumed(), 0u);

  FileReader random_access = FileReader::create(file).value();
  const FileReader other_random_access = std::move(random_access);
  EXPECT_KIND(random_access.read(0, writable(out)), kInvalidArgument);
  EXPECT_EQ(random_access.count(), 0u);
}

TEST(MovedFromObjects, Writers) {
  const Bytes file = sample_file();
  const Numbers numbers = sample_numbers();
  MemorySource source(file);
  Bytes written;
  VectorSink sink(written);
  StreamWriter writer(sink, NumberType::kI32);
  const StreamWriter other_writer = std::move(writer);
  EXPECT_KIND(writer.write(numbers.view()), kInvalidArgument);
  EXPECT_KIND(writer.end_chunk(), kInvalidArgument);
  EXPECT_KIND(writer.finish(), kInvalidArgument);
  EXPECT_KIND(writer.copy_file(source), kInvalidArgument);
  EXPECT_EQ(writer.bytes_written() + writer.trailer_bytes(), 0u);
}

TEST(MovedFromObjects, WrappedChunks) {
  const Numbers numbers = sample_numbers();
  Numbers out = zeros(NumberType::kI32, 5000);
  Bytes bytes(100'000);
  std::size_t n = 0;
  ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), paged()).value();
  const ChunkEncoder other_encoder = std::move(encoder);
  EXPECT_EQ(encoder.page_count() + encoder.page_n(0) + encoder.meta_size_bound(), 0u);
  EXPECT_KIND(encoder.write_meta(bytes).into(n), kInvalidArgument);
  EXPECT_KIND(encoder.write_page(0, bytes).into(n), kInvalidArgument);
  EXPECT_THROW(static_cast<void>(encoder.meta().value()), Error);

  ChunkDecoder decoder =
      ChunkDecoder::create(other_encoder.meta().value(), NumberType::kI32, wrapped::kCurrentVersion)
          .value();
  const ChunkDecoder other_decoder = std::move(decoder);
  EXPECT_KIND(decoder.decode_page(other_encoder.page(0).value(), 625, writable(out)).into(n),
              kInvalidArgument);
  EXPECT_EQ(decoder.meta_size(), 0u);
  EXPECT_THROW(static_cast<void>(decoder.info().value()), Error);
}

TEST(MovedFromObjects, Contexts) {
  const Bytes file = sample_file();
  const Numbers numbers = sample_numbers();
  Numbers out = zeros(NumberType::kI32, 5000);
  Bytes written;
  std::size_t n = 0;
  EncodeContext encode;
  DecodeContext decode;
  const EncodeContext other_encode = std::move(encode);
  const DecodeContext other_decode = std::move(decode);
  for (const unsigned threads : {1u, 2u}) {
    EncodeConfig encode_config = paged();
    encode_config.threads = threads;
    DecodeConfig decode_config;
    decode_config.threads = threads;
    EXPECT_KIND(compress(numbers.view(), encode_config, &encode).into(written), kInvalidArgument);
    EXPECT_KIND(count_into(decompress_into(file, writable(out), decode_config, &decode), n),
                kInvalidArgument);
    Verification found;
    EXPECT_KIND(verify(file, decode_config, &decode).into(found), kInvalidArgument);
  }
  EXPECT_KIND(
      ChunkEncoder::create(numbers.view(), paged(), std::pmr::new_delete_resource(), &encode)
          .status(),
      kInvalidArgument);
}

TEST(MovedFromObjects, CvcReaders) {
  const Bytes vectors = sample_cvc();
  cvc::Reader cvc_reader = cvc::Reader::create(vectors).value();
  const cvc::Reader other_cvc_reader = std::move(cvc_reader);
  std::vector<float> values(600);
  const cvc::RowRange all{0, 200};
  const cvc::Target target{cvc::MutableRows(cvc::Dtype::kFloat32, values.data(), 200, 3), 0};
  cvc::VerifyReport report;
  cvc::Codes codes;
  EXPECT_EQ(cvc_reader.rows(), 0u);
  EXPECT_EQ(cvc_reader.chunk_of(0), 0u);
  EXPECT_KIND(cvc_reader.read({&all, 1}, {&target, 1}), kInvalidArgument);
  EXPECT_KIND(cvc_reader.verify().into(report), kInvalidArgument);
  EXPECT_KIND(cvc_reader.codes(0, 0).into(codes), kInvalidArgument);
  EXPECT_THROW(static_cast<void>(cvc_reader.read_all().value()), Error);
}

TEST(MovedFromObjects, CvcWriters) {
  Bytes written;
  const std::vector<float> values(600);
  cvc::Writer cvc_writer = cvc::Writer::create(written, {}).value();
  const cvc::Writer other_cvc_writer = std::move(cvc_writer);
  EXPECT_KIND(cvc_writer.append(cvc::Rows(std::span<const float>(values), 3)), kInvalidArgument);
  EXPECT_KIND(cvc_writer.end_chunk(), kInvalidArgument);
  EXPECT_KIND(cvc_writer.finish(), kInvalidArgument);
  EXPECT_EQ(cvc_writer.error_place(), "");
}

// NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)

// ---- wrapped chunks ----

// Counts the bytes currently allocated.
class MeasuredMemory final : public std::pmr::memory_resource {
 public:
  std::size_t held = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    held += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, align);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override {
    held -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(WrappedEncoder, StoresOnlyItsBytes) {
  Random random(9);
  const Numbers numbers = make_numbers("uniform", NumberType::kF64, 100'000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(10'000);
  for (const bool is_lent : {false, true}) {
    MeasuredMemory memory;
    EncodeContext context;
    const ChunkEncoder encoder =
        ChunkEncoder::create(numbers.view(), config, &memory, is_lent ? &context : nullptr).value();
    std::size_t bytes = encoder.meta().value().size();
    for (std::size_t i = 0; i < encoder.page_count(); ++i) bytes += encoder.page(i).value().size();
    EXPECT_LE(memory.held, bytes + 1000);
  }
}

TEST(WrappedEncoder, IsTheSameWithAContext) {
  const Numbers numbers = sample_numbers();
  EncodeContext context;
  const ChunkEncoder alone = ChunkEncoder::create(numbers.view(), paged()).value();
  for (int round = 0; round < 2; ++round) {
    const ChunkEncoder lent =
        ChunkEncoder::create(numbers.view(), paged(), std::pmr::get_default_resource(), &context)
            .value();
    EXPECT_EQ(lent.meta().value(), alone.meta().value());
    for (std::size_t i = 0; i < alone.page_count(); ++i)
      EXPECT_EQ(lent.page(i).value(), alone.page(i).value());
  }
}

TEST(WrappedEncoder, CanBeCancelled) {
  const Numbers numbers = sample_numbers();
  EncodeConfig config = paged();
  std::vector<Progress> seen;
  config.progress = [&](const Progress& progress) {
    seen.push_back(progress);
    return true;
  };
  const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
  ASSERT_EQ(seen.size(), 2 + encoder.page_count());
  EXPECT_EQ(seen[1].numbers, 0u);
  EXPECT_EQ(seen.back().numbers, numbers.count());
  for (std::size_t stop = 0; stop < seen.size(); ++stop) {
    std::size_t calls = 0;
    config.progress = [&](const Progress&) { return calls++ != stop; };
    EXPECT_KIND(ChunkEncoder::create(numbers.view(), config).status(), kCancelled);
    EXPECT_EQ(calls, stop + 1);
  }
}

// ---- results, and outputs that are too small ----

TEST(Results, CanBeConst) {
  const Result<int> good(7);
  const Result<int> bad(Status(ErrorKind::kIo, "gone"));
  EXPECT_TRUE(good);
  EXPECT_FALSE(bad);
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(good.value(), 7);
  EXPECT_THROW(static_cast<void>(bad.value()), Error);
  const Result<std::string> words(std::string("words"));
  EXPECT_EQ(words->size(), 5u);
  // Neither a value nor an error.
  const Result<int> nothing{Status()};
  EXPECT_FALSE(nothing);
  EXPECT_THROW(static_cast<void>(nothing.value()), Error);
}

TEST(OutputTooSmall, ReportsTheBytesThatSuffice) {
  const Numbers numbers = sample_numbers();
  std::size_t written = 0;
  Bytes small(10);
  const Status packed = compress_into(numbers.view(), small, paged()).into(written);
  EXPECT_KIND(packed, kOutputTooSmall);
  Bytes enough(static_cast<std::size_t>(packed.needed_bytes()));
  EXPECT_OK(compress_into(numbers.view(), enough, paged()).into(written));
  EXPECT_NE(packed.message().find(std::to_string(packed.needed_bytes())), std::string::npos);

  for (const Bytes& file : {sample_file(), sample_file(TrailerSpec::none())}) {
    for (const unsigned threads : {1u, 2u}) {
      DecodeConfig config;
      config.threads = threads;
      Numbers out = zeros(NumberType::kI32, 999);
      std::size_t count = 0;
      const Status status = count_into(decompress_into(file, writable(out), config), count);
      EXPECT_KIND(status, kOutputTooSmall);
      EXPECT_EQ(status.needed_bytes(), 4 * numbers.count());
    }
  }

  const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), paged()).value();
  EXPECT_EQ(encoder.write_page(3, {}).into(written).needed_bytes(), encoder.page(3).value().size());
  EXPECT_EQ(encoder.write_meta({}).into(written).needed_bytes(), encoder.meta().value().size());

  const Bytes vectors = sample_cvc();
  const cvc::Reader reader = cvc::Reader::create(vectors).value();
  std::vector<float> values(600);
  const cvc::RowRange all{0, 200};
  const cvc::Target target{cvc::MutableRows(cvc::Dtype::kFloat32, values.data(), 3, 3, 16), 0};
  EXPECT_EQ(reader.read({&all, 1}, {&target, 1}).status().needed_bytes(), 199u * 16 + 12);
  std::vector<cvc::CodeRun> runs;
  Bytes output(100);
  const Status codes = reader.read_codes(all, 0, output, 0).into(runs);
  EXPECT_KIND(codes, kOutputTooSmall);
  EXPECT_EQ(codes.needed_bytes(), 200u * 3 * 2);
  EXPECT_EQ(Status().needed_bytes(), Status::kNoOffset);
}

// ---- copied chunks ----

TEST(EncodedChunks, AreHeldAgainstTheirChecksums) {
  Bytes file = sample_cvc();
  const cvc::Info info = cvc::Reader::create(file).value().info();
  const std::size_t chunk = 1;
  const auto at = static_cast<std::size_t>(info.chunks[chunk].offset) + info.record_head_bytes();
  file[at + 5] ^= std::byte{0x40};
  const cvc::Reader reader = cvc::Reader::create(file).value();
  std::optional<std::uint32_t> checksum;
  ASSERT_OK(reader.checksum(chunk).into(checksum));
  ASSERT_TRUE(checksum);
  EXPECT_KIND(reader.checksum(99).into(checksum), kInvalidArgument);
  cvc::WriteConfig config;
  config.dimension = 3;
  for (const std::size_t copied : {std::size_t{0}, chunk}) {
    ASSERT_OK(reader.checksum(copied).into(checksum));
    const cvc::Chunk& entry = info.chunks[copied];
    const ByteSpan payload =
        ByteSpan(file).subspan(static_cast<std::size_t>(entry.offset) + info.record_head_bytes(),
                               static_cast<std::size_t>(entry.payload_bytes));
    Bytes out;
    cvc::Writer writer = cvc::Writer::create(out, config).value();
    const Status status =
        writer.append_encoded({entry.rows, {&info.slice(copied, 0), 1}, payload, checksum});
    EXPECT_EQ(status.kind(), copied == chunk ? ErrorKind::kChecksum : ErrorKind::kNone);
  }
}

}  // namespace
}  // namespace numpact::testing
