// SPDX-License-Identifier: Apache-2.0
// Bytes behind the end of a file: readers tell of them, and nothing that writes drops them unless
// they are its own trailer or the beginning of one.
#include <gtest/gtest.h>

#include "file_in_folder.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

Bytes operator+(Bytes first, ByteSpan second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Bytes bytes_of_text(std::string_view text) {
  const auto* const at = reinterpret_cast<const std::byte*>(text.data());
  return {at, at + text.size()};
}

class FileEnds : public FileInFolder {
 protected:
  FileEnds() {
    Random random(961);
    numbers_ = make_numbers("walk", NumberType::kI32, 900, random);
    other_ = make_numbers("uniform", NumberType::kI32, 400, random);
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(300);
    plain_ = compressed(numbers_, config);
    for (const TrailerSpec& spec : {TrailerSpec::index(), TrailerSpec::restarts(8)}) {
      trailers_.push_back(Trailer::make(plain_, spec).value().bytes);
    }
    joined_ = {compressed(other_),          bytes_of_text("pco!"),    bytes_of_text("what is this"),
               Bytes(1, std::byte{0}),      Bytes(100, std::byte{0}), Bytes(1, std::byte{7}),
               Bytes(5000, std::byte{0xff})};
    config.trailer = TrailerSpec::index();
    joined_.push_back(compressed(other_, config));
    for (int i = 0; i < 20; ++i) {
      joined_.push_back(bytes_of_text("\x01"));
      for (std::size_t left = random.below(200); left > 0; --left) {
        joined_.back().push_back(static_cast<std::byte>(random.below(256)));
      }
    }
  }

  // Every reader decodes the file's numbers and tells the same of what follows them.
  void expect_end(const Bytes& file, TrailerState state, std::optional<std::uint64_t> foreign_at,
                  bool is_unfinished = false) const {
    std::vector<FileEnd> ends(5);
    DecodeConfig config;
    Numbers out = zeros(NumberType::kI32, numbers_.count());
    std::size_t count = 0;
    config.file_end = &ends[0];
    ASSERT_OK(decompress_into(file, writable(out), config).into(count));
    EXPECT_TRUE(same_numbers(out, numbers_));
    config.file_end = &ends[1];
    EXPECT_EQ(count_numbers(file, config).value(), numbers_.count());
    config.file_end = &ends[2];
    EXPECT_EQ(FileReader::create(file, config)->count(), numbers_.count());
    config.file_end = &ends[3];
    const ValueRange all = ValueRange::of<std::int32_t>(INT32_MIN, INT32_MAX);
    EXPECT_EQ(count_where(file, all, config).value(), numbers_.count());
    config.file_end = &ends[4];
    config.threads = 2;
    ASSERT_OK(decompress_any(file, config).status());
    for (const FileEnd& end : ends) {
      EXPECT_EQ(end.file_bytes, plain_.size());
      EXPECT_EQ(end.trailer, state);
      EXPECT_EQ(end.foreign_at, foreign_at);
      EXPECT_EQ(end.is_unfinished, is_unfinished);
      EXPECT_EQ(end.warning().empty(),
                state == TrailerState::kNone || state == TrailerState::kSound);
    }
    const Verification found = verify(file).value();
    EXPECT_EQ(found.trailer, state);
    EXPECT_EQ(found.is_sound(), ends[0].warning().empty());
    EXPECT_EQ(inspect(file)->trailer, state);
    if (foreign_at) {
      EXPECT_EQ(found.trailer_status.offset(), *foreign_at);
    }
    // A stream does not read behind bytes that cannot be a trailer.
    MemorySource source(file, 100);
    StreamReader reader(source);
    ASSERT_OK(reader.read(writable(out)).into(count));
    ASSERT_OK(reader.read(writable(out)).into(count));  // the terminator
    EXPECT_EQ(count, 0u);
    const TrailerState streamed = reader.check_trailer().value();
    EXPECT_EQ(reader.file_end().trailer, streamed);
    EXPECT_EQ(reader.file_end().warning().empty(), found.is_sound());
    if (foreign_at) {
      EXPECT_EQ(reader.file_end().foreign_at, foreign_at);
    }
  }

  // The ways to change a file. The last gives a new one.
  std::vector<Status> changed(const Bytes& file) {
    std::vector<Status> all;
    for (const TrailerSpec& spec :
         {TrailerSpec(), TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
      EncodeConfig config;
      config.trailer = spec;
      put(file);
      all.push_back(append_in_place(path_, other_.view(), config));
      if (!all.back().ok()) {
        EXPECT_TRUE(same_bytes(get(), file));
      }
      if (all.back().ok()) expect_appended();
      put(file);
      all.push_back(append_to_file(path_, other_.view(), config));
      if (!all.back().ok()) {
        EXPECT_TRUE(same_bytes(get(), file));
      }
      if (all.back().ok()) expect_appended();
    }
    all.push_back(Trailer::make(file, TrailerSpec::index()).status());
    Bytes copied;
    VectorSink sink(copied);
    MemorySource source(file, 100);
    all.push_back(StreamWriter(sink, NumberType::kI32).copy_file(source));
    return all;
  }
  void expect_appended() const {
    EXPECT_TRUE(same_numbers(decompressed(get()), joined(numbers_, other_)));
    EXPECT_TRUE(verify(get())->is_sound());
  }
  void expect_refused_at(const Bytes& file, std::optional<std::uint64_t> offset) {
    for (const Status& status : changed(file)) {
      EXPECT_TRUE(status.kind() == ErrorKind::kCorrupt || status.kind() == ErrorKind::kChecksum)
          << status.message();
      if (offset) {
        EXPECT_EQ(status.offset(), *offset);
        EXPECT_NE(std::string_view(status.what()).find("numpact index --force"),
                  std::string_view::npos);
      }
    }
  }

  Numbers numbers_;
  Numbers other_;
  Bytes plain_;
  std::vector<Bytes> trailers_;
  std::vector<Bytes> joined_;  // what is no trailer
};

TEST_F(FileEnds, ItsOwnTrailer) {
  expect_end(plain_, TrailerState::kNone, std::nullopt);
  for (const Bytes& trailer : trailers_) {
    expect_end(plain_ + trailer, TrailerState::kSound, std::nullopt);
    for (const Status& status : changed(plain_ + trailer)) EXPECT_OK(status);
  }
}

TEST_F(FileEnds, OtherBytesAreReportedAndKept) {
  for (const Bytes& rest : joined_) {
    SCOPED_TRACE(rest.size());
    expect_end(plain_ + rest, TrailerState::kUnrecognised, plain_.size());
    expect_refused_at(plain_ + rest, plain_.size());
    if (HasFailure()) return;
  }
}

TEST_F(FileEnds, OtherBytesBehindATrailerToo) {
  for (const Bytes& trailer : trailers_) {
    const Bytes file = plain_ + trailer;
    for (const Bytes& rest : joined_) {
      SCOPED_TRACE(rest.size());
      expect_end(file + rest, TrailerState::kUnrecognised, file.size());
      expect_refused_at(file + rest, file.size());
      if (HasFailure()) return;
    }
    expect_end(file + file, TrailerState::kUnrecognised, file.size());
    expect_refused_at(file + file, file.size());
  }
}

TEST_F(FileEnds, DamagedTrailers) {
  for (const Bytes& trailer : trailers_) {
    for (std::size_t size = 1; size < trailer.size(); size += size < 40 ? 1 : 7) {
      SCOPED_TRACE(size);
      const Bytes cut = plain_ + prefix(trailer, size);
      expect_end(cut, TrailerState::kDamaged, std::nullopt);
      expect_refused_at(cut, std::nullopt);
      if (HasFailure()) return;
    }
    for (std::size_t at = 0; at < trailer.size(); at += at < 40 ? 1 : 5) {
      SCOPED_TRACE(at);
      Bytes flipped = trailer;
      flipped[at] ^= std::byte{0x04};
      EXPECT_EQ(verify(plain_ + flipped)->trailer, TrailerState::kDamaged);
      expect_refused_at(plain_ + flipped, std::nullopt);
      if (HasFailure()) return;
    }
  }
}

TEST_F(FileEnds, TrailersOfOtherFiles) {
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  const Bytes file = compressed(other_, config);
  const Bytes foreign(file.begin() + static_cast<std::ptrdiff_t>(inspect(file)->file_bytes),
                      file.end());
  expect_end(plain_ + foreign, TrailerState::kDamaged, std::nullopt);
  expect_refused_at(plain_ + foreign, std::nullopt);
  // At another place than its own.
  const Bytes moved = plain_ + Bytes(3, std::byte{9}) + trailers_[0];
  expect_end(moved, TrailerState::kDamaged, std::nullopt);
  expect_refused_at(moved, std::nullopt);
}

// The first byte is the last that is written of a trailer.
TEST_F(FileEnds, UnfinishedTrailersAreWrittenAnew) {
  for (const Bytes& trailer : trailers_) {
    for (std::size_t size = 2; size <= trailer.size();
         size += size < 6 ? 1 : (trailer.size() - 6) / 5) {
      SCOPED_TRACE(size);
      Bytes left = prefix(trailer, size);
      left[0] = std::byte{0};
      expect_end(plain_ + left, TrailerState::kDamaged, std::nullopt, true);
      for (const Status& status : changed(plain_ + left)) EXPECT_OK(status);
      if (HasFailure()) return;
    }
  }
}

TEST_F(FileEnds, RepairKeepsOtherFiles) {
  for (const Bytes& file : {plain_, plain_ + trailers_[0]}) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}}) {  // Pco files
      const Bytes all = file + joined_[i];
      put(all);
      EXPECT_KIND(repair_file(path_).status(), kCorrupt);
      EXPECT_TRUE(same_bytes(get(), all));
    }
  }
  for (std::size_t i = 1; i < joined_.size(); ++i) {
    if (i == 7) continue;
    put(plain_ + joined_[i]);
    EXPECT_EQ(repair_file(path_).value(), numbers_.count());
    EXPECT_TRUE(same_bytes(get(), plain_));
  }
}

// Damage that still decodes is found by the checksums alone.
TEST_F(FileEnds, NothingVouchesForDamage) {
  Random random(962);
  std::size_t tried = 0;
  for (const Bytes& trailer : trailers_) {
    const FileInfo info = inspect(plain_).value();
    for (std::size_t at = info.header.size_bytes; at + 1 < plain_.size(); ++at) {
      Bytes file = plain_ + trailer;
      file[at] ^= static_cast<std::byte>(1U << random.below(8));
      put(file);
      const Status repaired = repair_file(path_).status();
      EXPECT_TRUE(repaired.kind() == ErrorKind::kChecksum) << repaired.message();
      EXPECT_TRUE(same_bytes(get(), file));
      if (!count_numbers(prefix(file, plain_.size())).ok()) continue;
      if (++tried % 8 != 0) continue;
      for (const TrailerSpec& spec : {TrailerSpec::none(), TrailerSpec::restarts(9)}) {
        EncodeConfig config;
        config.trailer = spec;
        EXPECT_KIND(append_in_place(path_, other_.view(), config), kChecksum);
        EXPECT_TRUE(same_bytes(get(), file));
      }
      // A trailer that is continued still tells.
      ASSERT_OK(append_in_place(path_, other_.view()));
      EXPECT_FALSE(verify(get())->is_sound());
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tried, 100u);
}

}  // namespace
}  // namespace numpact::testing
