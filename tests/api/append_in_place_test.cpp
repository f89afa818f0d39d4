// SPDX-License-Identifier: Apache-2.0
// Appending in place: at every moment the old numbers or all can be read, and repair makes the file
// sound.
#include <gtest/gtest.h>

#include "file_in_folder.hpp"
#include "support/distributions.hpp"
#include "support/system.hpp"

namespace numpact::testing {
namespace {

class InPlace : public FileInFolder {
 protected:
  void expect_sound(const Numbers& numbers) const {
    const Bytes file = get();
    EXPECT_TRUE(same_numbers(decompressed(file), numbers));
    const Verification found = verify(file).value();
    EXPECT_TRUE(found.is_sound()) << found.trailer_status.message();
  }
  void expect_refused(ByteSpan bytes, const NumberView& numbers, ErrorKind kind) const {
    FileInFolder::expect_refused(
        bytes, kind, [&](const std::string& path) { return append_in_place(path, numbers); });
  }
};

TEST_F(InPlace, AddsChunksAndContinuesTrailers) {
  Random random(981);
  for (const NumberType type : kNumberTypes) {
    for (const TrailerSpec& trailer :
         {TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
      SCOPED_TRACE(name_of(type));
      EncodeConfig config;
      config.trailer = trailer;
      config.paging = PagingSpec::equal_pages_up_to(1000);
      Numbers all = make_numbers("walk", type, random.below(3000), random);
      put(compressed(all, config));
      config.trailer = {};
      for (const std::string_view distribution : {"uniform", "repeats", "nans"}) {
        config.delta = distribution == "repeats" ? DeltaSpec::try_lookback() : DeltaSpec();
        const Numbers more = make_numbers(distribution, type, random.below(2500), random);
        ASSERT_OK(append_in_place(path_, more.view(), config));
        all = joined(all, more);
        expect_sound(all);
      }
      const Result<std::optional<Trailer>> kept = Trailer::read(get());
      ASSERT_EQ((*kept).has_value(), trailer.is_requested());
      // It is the trailer that decoding the whole file makes.
      if (!trailer.is_requested()) continue;
      const Bytes file = get();
      const MadeTrailer made = Trailer::make(file, trailer).value();
      EXPECT_TRUE(same_bytes(made.bytes, ByteSpan(file).subspan(made.file_bytes)));
      if (HasFailure()) return;
    }
  }
}

TEST_F(InPlace, OtherKindsOfTrailers) {
  Random random(982);
  const Numbers first = make_numbers("walk", NumberType::kI64, 3000, random);
  const Numbers more = make_numbers("walk", NumberType::kI64, 2000, random);
  const TrailerSpec kinds[] = {TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8),
                               TrailerSpec::restarts(10)};
  for (const TrailerSpec& before : kinds) {
    for (const TrailerSpec& after : kinds) {
      EncodeConfig config;
      config.trailer = before;
      put(compressed(first, config));
      config.trailer = after;
      ASSERT_OK(append_in_place(path_, more.view(), config));
      expect_sound(joined(first, more));
      const std::optional<Trailer> trailer = Trailer::read(get()).value();
      ASSERT_EQ(trailer.has_value(), after.is_requested());
      if (trailer) {
        EXPECT_EQ(trailer->restart_log(), after.restart_log());
      }
    }
  }
}

TEST_F(InPlace, TheHeaderStatesTheNewCountIfItFits) {
  Random random(983);
  const Numbers first = make_numbers("walk", NumberType::kF32, 1000, random);
  put(compressed(first));
  ASSERT_OK(append_in_place(path_, part(first, 0, 20)));
  EXPECT_EQ(read_header(get())->n_hint, 1020u);
  ASSERT_OK(append_in_place(path_, part(first, 0, 0)));
  EXPECT_EQ(read_header(get())->n_hint, 1020u);
}

// The images of the file between the writes, of which each is cut off anywhere.
TEST_F(InPlace, EveryMomentCanBeReadAndRepaired) {
  Random random(984);
  const Numbers first = make_numbers("walk", NumberType::kU16, 400, random);
  const Numbers more = make_numbers("walk", NumberType::kU16, 300, random);
  for (const TrailerSpec& trailer : {TrailerSpec::none(), TrailerSpec::restarts(8)}) {
    EncodeConfig config;
    config.trailer = trailer;
    const Bytes before = compressed(first, config);
    put(before);
    ASSERT_OK(append_in_place(path_, more.view(), config));
    const Bytes after = get();
    const std::size_t old_end = inspect(before)->file_bytes;
    const std::size_t new_end = inspect(after)->file_bytes;
    std::vector<std::pair<Bytes, bool>> images;  // and whether all numbers are there
    for (std::size_t end = old_end; end <= new_end; ++end) {
      Bytes image = prefix(before, old_end);
      image.insert(image.end(), after.begin() + static_cast<std::ptrdiff_t>(old_end),
                   after.begin() + static_cast<std::ptrdiff_t>(end));
      images.emplace_back(std::move(image), false);
    }
    Bytes hidden = prefix(after, new_end);
    hidden[old_end - 1] = std::byte{0};
    images.emplace_back(std::move(hidden), false);
    for (std::size_t end = new_end; end <= after.size(); ++end) {
      Bytes image = prefix(after, end);
      if (end > new_end && trailer.is_requested()) image[new_end] = std::byte{0};
      images.emplace_back(std::move(image), true);
    }
    const std::size_t hidden_at = new_end - old_end + 1;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const auto& [image, is_complete] = images[i];
      SCOPED_TRACE(image.size());
      const Numbers expected = is_complete ? joined(first, more) : first;
      EXPECT_TRUE(same_numbers(decompressed(image), expected));
      // A repair takes milliseconds, for it syncs. All moments between two writes are tried.
      const bool is_between = i <= 1 || (i + 2 >= hidden_at && i <= hidden_at + 3);
      if (i % 11 != 0 && !is_between && i + 1 < images.size()) continue;
      put(image);
      EXPECT_EQ(repair_file(path_, trailer).value(), expected.count());
      expect_sound(expected);
      if (HasFailure()) return;
    }
  }
}

TEST_F(InPlace, FailuresLeaveTheOldFile) {
  if (!system::FileSizeLimit::is_set()) GTEST_SKIP() << "files have no limits here";
  Random random(985);
  const Numbers first = make_numbers("walk", NumberType::kU32, 900, random);
  const Numbers more = make_numbers("uniform", NumberType::kU32, 2000, random);
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  const Bytes before = compressed(first, config);
  for (const std::size_t buffer : {1u, 100u, 4000u}) {
    put(before);
    Status status;
    {
      const system::FileSizeLimit limit(before.size() + buffer);
      status = append_in_place(path_, more.view());
    }
    EXPECT_KIND(status, kIo);
    EXPECT_NE(status.system_error(), 0);
    EXPECT_TRUE(same_bytes(get(), before));
  }
}

TEST_F(InPlace, WhatIsRefused) {
  Random random(986);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 800, random);
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  const Bytes file = compressed(numbers, config);
  const Numbers other = make_numbers("walk", NumberType::kF32, 10, random);
  expect_refused(file, other.view(), ErrorKind::kTypeMismatch);
  Bytes damaged = file;
  damaged[file.size() - 30] ^= std::byte{1};
  expect_refused(damaged, numbers.view(), ErrorKind::kChecksum);
  EXPECT_KIND(repair_file(path_), kChecksum);
  EXPECT_TRUE(same_bytes(get(), damaged));
  Bytes header = file;
  header[inspect(file)->file_bytes - 1] = std::byte{3};  // no terminator where the trailer says
  expect_refused(header, numbers.view(), ErrorKind::kCorrupt);
  config.trailer = {};
  const Bytes plain = compressed(numbers, config);
  expect_refused(prefix(plain, plain.size() - 1), numbers.view(), ErrorKind::kTruncated);
  EncodeConfig old;
  old.compatibility = Compatibility::kV3;
  expect_refused(compressed(numbers, old), numbers.view(), ErrorKind::kUnsupportedVersion);
  put(plain);
  EXPECT_KIND(append_in_place(path_, numbers.view(), old), kInvalidArgument);
  EXPECT_TRUE(same_bytes(get(), plain));
  EXPECT_KIND(append_in_place(folder_ + "/none.pco", numbers.view()), kIo);
  EXPECT_KIND(repair_file(folder_ + "/none.pco"), kIo);
}

TEST_F(InPlace, AFileKeepsItsVersion) {
  Random random(987);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 800, random);
  EncodeConfig old;
  old.compatibility = Compatibility::kV4_0;
  put(compressed(numbers, old));
  EncodeConfig dict;
  dict.mode = ModeSpec::try_dict();  // format 4.0 has none
  EXPECT_KIND(append_in_place(path_, numbers.view(), dict), kInvalidArgument);
  ASSERT_OK(append_in_place(path_, numbers.view()));
  expect_sound(joined(numbers, numbers));
}

TEST_F(InPlace, RepairEndsLogsBehindTheirLastWholeChunk) {
  Random random(988);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 1200, random);
  EncodeConfig config;
  config.paging = PagingSpec::exact({300, 400, 500});
  const Bytes file = compressed(numbers, config);
  const FileInfo info = inspect(file).value();
  for (std::size_t size = info.chunks[0].offset; size <= file.size(); ++size) {
    std::size_t expected = 0;
    bool is_near = false;  // an end of a chunk
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t end = i < 2 ? info.chunks[i + 1].offset : file.size() - 1;
      if (size >= end) expected += info.chunks[i].count;
      is_near = is_near || (size + 2 >= end && size <= end + 5);
    }
    if (!is_near && size % 13 != 0) continue;
    put(ByteSpan(file).first(size));
    ASSERT_EQ(repair_file(path_).value(), expected) << size;
    Numbers kept = zeros(NumberType::kI64, expected);
    std::copy_n(raw(numbers).begin(), raw(kept).size(), kept.storage().begin());
    ASSERT_TRUE(same_numbers(decompressed(get()), kept));
  }
}

TEST_F(InPlace, RepairDoesNotCutOffWholeChunks) {
  Random random(989);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 9000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(1000);
  Bytes file = compressed(numbers, config);
  const FileInfo info = inspect(file).value();
  file[info.chunks[2].offset + 3] = std::byte{0xff};  // 2^24 numbers, or nearly
  EXPECT_KIND(count_numbers(file), kTruncated);
  put(file);
  EXPECT_KIND(repair_file(path_), kTruncated);
  EXPECT_TRUE(same_bytes(get(), file));
}

TEST_F(InPlace, RepairOfSoundFilesChangesNothing) {
  Random random(990);
  const Numbers numbers = make_numbers("walk", NumberType::kF64, 500, random);
  for (const TrailerSpec& trailer : {TrailerSpec::none(), TrailerSpec::restarts(8)}) {
    EncodeConfig config;
    config.trailer = trailer;
    const Bytes file = compressed(numbers, config);
    put(file);
    EXPECT_EQ(repair_file(path_, TrailerSpec::index()).value(), 500u);
    EXPECT_TRUE(same_bytes(get(), file));
  }
  Bytes followed = compressed(numbers);
  followed.insert(followed.end(), 100, std::byte{7});
  put(followed);
  EXPECT_EQ(repair_file(path_, TrailerSpec::index()).value(), 500u);
  expect_sound(numbers);
}

}  // namespace
}  // namespace numpact::testing
