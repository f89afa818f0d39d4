// SPDX-License-Identifier: Apache-2.0
// Appending replaces the file as a whole or leaves it unchanged.
#include <gtest/gtest.h>

#include <filesystem>

#include "file_in_folder.hpp"
#include "support/distributions.hpp"
#include "support/system.hpp"

namespace numpact::testing {
namespace {

class Append : public FileInFolder {
 protected:
  void expect_refused(ByteSpan bytes, const Numbers& numbers, ErrorKind kind) const {
    FileInFolder::expect_refused(
        bytes, kind, [&](const std::string& path) { return append_to_file(path, numbers.view()); });
  }
};

TEST_F(Append, AddsChunks) {
  Random random(31);
  for (const NumberType type : {NumberType::kU8, NumberType::kF64}) {
    const Numbers first = make_numbers("walk", type, 500, random);
    const Numbers second = make_numbers("uniform", type, 300, random);
    put(compressed(first));
    for (int times = 1; times <= 2; ++times) {
      ASSERT_OK(append_to_file(path_, second.view()));
      Numbers all = first;
      for (int i = 0; i < times; ++i) all = joined(all, second);
      EXPECT_TRUE(same_numbers(decompressed(get()), all));
      EXPECT_EQ(inspect(get()).value().chunks.size(), static_cast<std::size_t>(1 + times));
    }
  }
}

TEST_F(Append, TheHeaderStatesTheNewCount) {
  Random random(36);
  // Counts of different widths, so that headers differ in size.
  for (const std::size_t first : {1u, 100u, 250u, 70'000u}) {
    for (const TrailerSpec& trailer : {TrailerSpec::none(), TrailerSpec::restarts(8)}) {
      EncodeConfig config;
      config.trailer = trailer;
      config.paging = PagingSpec::equal_pages_up_to(1000);
      const Numbers numbers = make_numbers("walk", NumberType::kI64, first, random);
      put(compressed(numbers, config));
      Numbers all = numbers;
      for (const std::size_t more : {10u, 300u, 0u, 65'000u}) {
        const Numbers next = make_numbers("uniform", NumberType::kI64, more, random);
        ASSERT_OK(append_to_file(path_, next.view(), config));
        all = joined(all, next);
        FileHeader header;
        ASSERT_OK(read_header(get()).into(header));
        EXPECT_EQ(header.n_hint, all.view().count);
        EXPECT_TRUE(same_numbers(decompressed(get()), all));
        EXPECT_TRUE(verify(get()).value().is_sound());
      }
    }
  }
}

TEST_F(Append, AHeaderWithoutACountStaysSo) {
  Random random(37);
  const Numbers numbers = make_numbers("walk", NumberType::kF32, 500, random);
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, NumberType::kF32);
  ASSERT_OK(writer.write(numbers.view()));
  ASSERT_OK(writer.finish());
  EXPECT_EQ(writer.numbers_written(), 500u);
  put(file);
  ASSERT_OK(append_to_file(path_, numbers.view()));
  FileHeader header;
  ASSERT_OK(read_header(get()).into(header));
  EXPECT_EQ(header.n_hint, 0u);
}

TEST_F(Append, MakesATrailerOfTheWholeFileOnRequest) {
  Random random(34);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 3000, random);
  for (const TrailerSpec& before : {TrailerSpec::none(), TrailerSpec::restarts(9)}) {
    EncodeConfig config;
    config.trailer = before;
    put(compressed(numbers, config));
    config.trailer = TrailerSpec::restarts(8);
    ASSERT_OK(append_to_file(path_, numbers.view(), config));
    const std::optional<Trailer> trailer = Trailer::read(get()).value();
    ASSERT_TRUE(trailer);
    EXPECT_EQ(trailer->count(), 6000u);
    EXPECT_EQ(trailer->restart_log(), 8u);
    EXPECT_TRUE(verify(get()).value().is_sound());
    // An existing trailer is kept, of the same kind.
    ASSERT_OK(append_to_file(path_, numbers.view()));
    EXPECT_EQ(Trailer::read(get()).value()->count(), 9000u);
    EXPECT_EQ(Trailer::read(get()).value()->restart_log(), 8u);
    EXPECT_TRUE(verify(get()).value().is_sound());
    config.trailer = TrailerSpec::none();
    ASSERT_OK(append_to_file(path_, numbers.view(), config));
    EXPECT_FALSE(Trailer::read(get()).value());
  }
  put(compressed(numbers));
  ASSERT_OK(append_to_file(path_, numbers.view()));
  EXPECT_FALSE(Trailer::read(get()).value());
}

TEST_F(Append, ChecksAndRenewsATrailer) {
  Random random(35);
  const Numbers numbers = make_numbers("uniform", NumberType::kU32, 500, random);
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  Bytes file = compressed(numbers, config);
  const ChunkSummary chunk = Trailer::read(file).value()->chunks()[0];
  // Uniform numbers: the page's last bytes are offsets, of which any value is valid.
  file[static_cast<std::size_t>(chunk.place.offset + chunk.bytes) - 20] ^= std::byte{1};
  expect_refused(file, numbers, ErrorKind::kChecksum);
}

// A damaged trailer may be the only evidence of damage before it.
TEST_F(Append, DamagedTrailersAreRefused) {
  Random random(36);
  const Numbers numbers = make_numbers("uniform", NumberType::kU32, 500, random);
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  Bytes file = compressed(numbers, config);
  const std::optional<Trailer> trailer = Trailer::read(file).value();
  const ChunkSummary chunk = trailer->chunks()[0];
  const auto end = static_cast<std::size_t>(trailer->file_bytes());
  file[static_cast<std::size_t>(chunk.place.offset + chunk.bytes) - 20] ^= std::byte{1};
  std::vector<Bytes> damaged;
  for (std::size_t at = end; at < file.size(); ++at) {
    Bytes bad = file;
    bad[at] ^= std::byte{0x10};
    damaged.push_back(bad);
  }
  for (std::size_t n = end + 4; n < file.size(); ++n) damaged.push_back(prefix(file, n));
  for (const Bytes& bad : damaged) {
    for (const TrailerSpec& spec :
         {TrailerSpec(), TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
      put(bad);
      EncodeConfig more;
      more.trailer = spec;
      const Status status = append_to_file(path_, numbers.view(), more);
      EXPECT_TRUE(status.kind() == ErrorKind::kCorrupt || status.kind() == ErrorKind::kChecksum)
          << status.message();
      EXPECT_EQ(get(), bad);
      EXPECT_FALSE(Trailer::make(bad, TrailerSpec::index()).ok());
    }
    Bytes copied;
    VectorSink sink(copied);
    MemorySource source(bad, 100);
    EXPECT_FALSE(StreamWriter(sink, NumberType::kU32).copy_file(source).ok());
    // Removing the trailer allows it.
    DecodeConfig ignore;
    ignore.trailer = TrailerPolicy::kIgnore;
    EXPECT_EQ(Trailer::make(bad, TrailerSpec::index(), ignore).value().file_bytes, end);
  }
  // The message includes the file's name.
  put(damaged[0]);
  const std::vector<std::uint32_t> one = {1};
  try {
    throw_if_error(append_to_file(path_, one), path_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path_), std::string::npos);
  }
}

TEST_F(Append, WithThreads) {
  Random random(32);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 1000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(90);
  Bytes files[2];
  for (Bytes& file : files) {
    put(compressed(numbers));
    ASSERT_OK(append_to_file(path_, numbers.view(), config));
    file = get();
    config.threads = 3;
  }
  EXPECT_TRUE(same_bytes(files[1], files[0]));
}

TEST_F(Append, OfNothingKeepsTheFile) {
  const Bytes file = compressed(from_values<std::int16_t>({4, 5}));
  put(file);
  ASSERT_OK(append_to_file(path_, zeros(NumberType::kI16, 0).view()));
  EXPECT_EQ(get(), file);
}

TEST_F(Append, ToEmptyFiles) {
  const std::vector<float> numbers = {1.5f, -0.0f};
  put(compressed(zeros(NumberType::kF32, 0)));
  ASSERT_OK(append_to_file(path_, numbers));
  EXPECT_TRUE(same_numbers(decompressed(get()), from_values(numbers)));
  EncodeConfig typeless;
  typeless.uniform_type = false;
  put(compressed(zeros(NumberType::kU8, 0), typeless));
  ASSERT_OK(append_to_file(path_, numbers));
  EXPECT_TRUE(same_numbers(decompressed(get()), from_values(numbers)));
}

TEST_F(Append, BytesAfterTheTerminatorAreRefused) {
  const Bytes file = read_file(fixture_path("made/bytes_after_terminator.pco"));
  expect_refused(file, from_values<std::uint32_t>({7}), ErrorKind::kCorrupt);
}

TEST_F(Append, WrongTypeIsRefused) {
  const Bytes file = compressed(from_values<std::int16_t>({4, 5}));
  expect_refused(file, zeros(NumberType::kU16, 2), ErrorKind::kTypeMismatch);
  expect_refused(compressed(zeros(NumberType::kF64, 0)), zeros(NumberType::kI64, 2),
                 ErrorKind::kTypeMismatch);
}

TEST_F(Append, DamagedFilesAreRefused) {
  Random random(32);
  const Numbers numbers = make_numbers("uniform", NumberType::kU32, 100, random);
  const Bytes file = compressed(numbers);
  for (const std::size_t n : {std::size_t{0}, std::size_t{5}, file.size() / 2, file.size() - 1}) {
    expect_refused(ByteSpan(file).first(n), numbers, ErrorKind::kTruncated);
  }
  for (const char* name : {"magic", "page_padding", "metadata_padding"}) {
    const Bytes bad = read_file(fixture_path(text("made/refused/", name, ".pco")));
    expect_refused(bad, numbers, ErrorKind::kCorrupt);
  }
}

TEST_F(Append, OldVersionsAreRefused) {
  for (const char* name :
       {"v0_0_0_classic", "v0_1_0_delta_int_mult", "v0_3_0_f16", "v0_4_0_lookback_delta"}) {
    const Bytes file = read_file(fixture_path(text(name, ".pco")));
    expect_refused(file, zeros(*read_header(file).value().number_type, 3),
                   ErrorKind::kUnsupportedVersion);
  }
}

TEST_F(Append, InvalidConfigLeavesTheFile) {
  const Bytes file = compressed(from_values<std::int16_t>({4, 5}));
  const Numbers numbers = zeros(NumberType::kI16, 5);
  std::vector<EncodeConfig> configs(6);
  configs[0].level = 13;
  configs[1].mode = ModeSpec::try_float_mult(0.5);
  configs[2].delta = DeltaSpec::try_consecutive(8);
  configs[3].paging = PagingSpec::equal_pages_up_to(0);
  configs[4].paging = PagingSpec::exact({2, 2});
  configs[5].paging = PagingSpec::exact({2, 0, 3});
  for (std::size_t i = 0; i < configs.size(); ++i) {
    put(file);
    EXPECT_KIND(append_to_file(path_, numbers.view(), configs[i]), kInvalidArgument) << i;
    EXPECT_TRUE(get() == file) << i;
  }
}

TEST_F(Append, CancelledLeavesTheFile) {
  const Bytes file = compressed(from_values<std::int16_t>({4, 5}));
  put(file);
  EncodeConfig config;
  config.progress = [](const Progress&) { return false; };
  EXPECT_KIND(append_to_file(path_, zeros(NumberType::kI16, 5).view(), config), kCancelled);
  EXPECT_EQ(get(), file);
}

TEST_F(Append, KeepsPermissions) {
  if (!system::has_modes()) GTEST_SKIP() << "this system has other permissions";
  put(compressed(from_values<std::int16_t>({4, 5})));
  for (const unsigned mode : {0600u, 0640u, 0666u}) {
    ASSERT_TRUE(system::set_mode(path_, mode));
    ASSERT_OK(append_to_file(path_, zeros(NumberType::kI16, 5).view()));
    EXPECT_EQ(system::mode_of(path_), mode);
  }
}

TEST_F(Append, MissingFileIsAnIoError) {
  EXPECT_KIND(append_to_file(path_, zeros(NumberType::kI16, 5).view()), kIo);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_KIND(append_to_file(folder_, zeros(NumberType::kI16, 5).view()), kIo);
}

}  // namespace
}  // namespace numpact::testing
