// SPDX-License-Identifier: Apache-2.0
// Every allocation of every Pco entry point fails in turn.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "allocation_entry_points.hpp"
#include "counting_new.hpp"
#include "numpact/cvc.hpp"
#include "numpact/file_access.hpp"
#include "numpact/inspect.hpp"
#include "numpact/random_access.hpp"
#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// A valid file of a few chunks.
struct Made {
  std::string name;
  Numbers numbers;
  EncodeConfig config;
  Bytes file;
};

Made make(const std::string& name, NumberType type, std::string_view distribution, std::size_t n,
          EncodeConfig config) {
  Random random(96);
  Made made{name, make_numbers(distribution, type, n, random), std::move(config), {}};
  made.file = compressed(made.numbers, made.config);
  return made;
}

const std::vector<Made>& files() {
  static const std::vector<Made> all = [] {
    EncodeConfig paged;
    paged.paging = PagingSpec::equal_pages_up_to(350);
    EncodeConfig dict = paged;
    dict.mode = ModeSpec::try_dict();
    dict.delta = DeltaSpec::try_lookback();
    EncodeConfig conv = paged;
    conv.delta = DeltaSpec::try_conv1(2);
    EncodeConfig small = paged;
    small.level = 12;
    EncodeConfig fast;
    fast.level = 0;
    std::vector<Made> made;
    made.push_back(make("dictionary, lookback", NumberType::kI64, "few-values", 700, dict));
    made.push_back(make("conv1", NumberType::kI16, "walk", 700, conv));
    made.push_back(make("level 12", NumberType::kF64, "decimals", 700, small));
    made.push_back(make("level 0", NumberType::kU8, "uniform", 500, fast));
    made.push_back(make("segments", NumberType::kF32, "segments", 6000, {}));
    return made;
  }();
  return all;
}

Status compare(const Numbers& got, const Made& made) {
  return same_numbers(got, made.numbers) ? Status() : wrong("other numbers");
}

Status compare(ByteSpan got, const Made& made) {
  return same_bytes(got, made.file) ? Status() : wrong("other bytes");
}

TEST(AllocationFailure, OneShot) {
  for (const Made& made : files()) {
    SCOPED_TRACE(made.name);
    EncodeContext encode;
    DecodeContext decode;
    Bytes output(compress_bound(made.numbers.type(), made.numbers.count(), made.config));
    Numbers out = zeros(made.numbers.type(), made.numbers.count());
    const auto encode_into = [&](EncodeContext* context) {
      std::size_t written = 0;
      const Status status =
          compress_into(made.numbers.view(), output, made.config, context).into(written);
      return status.ok() ? compare(ByteSpan(output).first(written), made) : status;
    };
    const auto decode_into = [&](DecodeContext* context) {
      std::size_t count = 0;
      const Status status =
          count_into(decompress_into(made.file, writable(out), {}, context), count);
      return status.ok() ? compare(out, made) : status;
    };
    expect_all_survive({
        {"compress",
         [&] {
           Bytes bytes;
           const Status status = compress(made.numbers.view(), made.config).into(bytes);
           return status.ok() ? compare(bytes, made) : status;
         }},
        {"choose a recipe",
         [&] {
           Recipe recipe;
           return choose_recipe(made.numbers.view(), made.config).into(recipe);
         }},
        {"compress into", [&] { return encode_into(nullptr); }},
        {"compress into, context", [&] { return encode_into(&encode); }, Keeps::kMemory},
        {"decompress any",
         [&] {
           Numbers any;
           const Status status = decompress_any(made.file).into(any);
           return status.ok() ? compare(any, made) : status;
         }},
        {"decompress",
         [&] {
           return visit_type(made.numbers.type(), [&](auto number) {
             const auto typed = decompress<decltype(number)>(made.file);
             return typed.ok() ? compare(from_values(*typed), made) : typed.status();
           });
         }},
        {"decompress into", [&] { return decode_into(nullptr); }},
        {"decompress into, context", [&] { return decode_into(&decode); }, Keeps::kMemory},
        {"count",
         [&] {
           std::uint64_t count = 0;
           return count_numbers(made.file).into(count);
         }},
    });
  }
}

TEST(AllocationFailure, Streams) {
  for (const Made& made : files()) {
    SCOPED_TRACE(made.name);
    expect_all_survive({
        {"write",
         [&]() -> Status {
           Bytes bytes;
           VectorSink sink(bytes);
           StreamWriter writer(sink, made.numbers.type(), made.config, made.numbers.count());
           Status status = writer.write(part(made.numbers, 0, 300));
           if (status.ok()) {
             status = writer.write(part(made.numbers, 300, made.numbers.count() - 300));
           }
           if (status.ok()) status = writer.finish();
           if (status.ok()) return compare(bytes, made);
           // The error is reported again without writing.
           const Status again = writer.finish();
           return again.kind() == status.kind() ? status : wrong("the error is forgotten");
         }},
        {"read",
         [&]() -> Status {
           MemorySource source(made.file, 100);
           StreamReader reader(source);
           FileHeader header;
           Status status = reader.header().into(header);
           Numbers out = zeros(made.numbers.type(), made.numbers.count());
           for (std::size_t done = 0; status.ok() && done < out.count();) {
             std::size_t count = 0;
             const auto rest = writable(out);
             auto* const at = static_cast<std::byte*>(rest.data) + done * size_of(out.type());
             const std::size_t n = std::min<std::size_t>(600, out.count() - done);
             status = count_into(reader.read(MutableNumberView(out.type(), at, n)), count);
             done += count;
           }
           if (status.ok()) return compare(out, made);
           std::size_t count = 0;
           const Status again = count_into(reader.read(writable(out)), count);
           return again.kind() == status.kind() ? status : wrong("the error is forgotten");
         }},
    });
  }
}

TEST(AllocationFailure, Inspection) {
  for (const Made& made : files()) {
    SCOPED_TRACE(made.name);
    if (made.name == "segments") continue;  // like the other formats, and slow
    Result<FileReader> kept = FileReader::create(made.file);
    const auto read_middle = [&](const FileReader& reader) {
      Numbers out = zeros(made.numbers.type(), 300);
      const Status status = reader.read(120, writable(out));
      if (!status.ok()) return status;
      return same_bytes(
                 raw(out),
                 raw(made.numbers).subspan(120 * size_of(out.type()), 300 * size_of(out.type())))
                 ? Status()
                 : wrong("other numbers");
    };
    expect_all_survive({
        {"inspect",
         [&]() -> Status {
           FileInfo info;
           const Status status = inspect_into(made.file, info);
           if (status.ok() && info.chunks[0].mode_text().empty()) return wrong("no mode");
           return status;
         }},
        {"explain file",
         [&] {
           Explanation explanation;
           return explain_file(made.file).into(explanation);
         }},
        {"random access",
         [&] {
           Result<FileReader> reader = FileReader::create(made.file);
           return reader.ok() ? read_middle(*reader) : reader.status();
         }},
        {"random access, a reader kept", [&] { return read_middle(*kept); }},
    });
  }
  const Made& made = files()[1];
  expect_all_survive({{"explain", [&] {
                         Explanation explanation;
                         return explain(made.numbers.view(), made.config).into(explanation);
                       }}});
}

TEST(AllocationFailure, Wrapped) {
  for (const Made& made : files()) {
    SCOPED_TRACE(made.name);
    EncodeConfig config = made.config;
    config.paging = PagingSpec::equal_pages_up_to(300);
    auto encoder = wrapped::ChunkEncoder::create(made.numbers.view(), config);
    ASSERT_OK(encoder.status());
    const Bytes meta = encoder->meta().value();
    const Bytes page = encoder->page(1).value();
    expect_all_survive({
        {"encode",
         [&]() -> Status {
           auto one = wrapped::ChunkEncoder::create(made.numbers.view(), config);
           if (!one.ok()) return one.status();
           const bool same =
               same_bytes(one->meta().value(), meta) && same_bytes(one->page(1).value(), page);
           return same ? Status() : wrong("other bytes");
         }},
        {"decode",
         [&]() -> Status {
           auto one =
               wrapped::ChunkDecoder::create(meta, made.numbers.type(), wrapped::kCurrentVersion);
           if (!one.ok()) return one.status();
           Numbers out = zeros(made.numbers.type(), encoder->page_n(1));
           std::size_t consumed = 0;
           const Status status = one->decode_page(page, out.count(), writable(out)).into(consumed);
           if (!status.ok()) return status;
           const Result<ChunkInfo> info = one->info();
           return info.ok() && info->mode_text().empty() ? wrong("no mode") : info.status();
         }},
    });
  }
}

// Pages that are decoded several at once.
TEST(AllocationFailure, PagesOfConv1) {
  EncodeConfig config;
  config.mode = ModeSpec::classic();
  config.delta = DeltaSpec::try_conv1(5);
  config.paging = PagingSpec::equal_pages_up_to(700);
  const Made made = make("conv1", NumberType::kI32, "walk", 4200, config);
  const auto encoder = wrapped::ChunkEncoder::create(made.numbers.view(), made.config).value();
  std::vector<Bytes> pages;
  for (std::size_t i = 0; i < encoder.page_count(); ++i) pages.push_back(encoder.page(i).value());
  std::vector<wrapped::PageInput> inputs;
  for (std::size_t i = 0; i < pages.size(); ++i) inputs.push_back({pages[i], encoder.page_n(i)});
  const auto decoder = wrapped::ChunkDecoder::create(encoder.meta().value(), NumberType::kI32,
                                                     wrapped::kCurrentVersion)
                           .value();
  expect_all_survive({
      {"decode",
       [&]() -> Status {
         Numbers out = zeros(NumberType::kI32, made.numbers.count());
         const Status status = decoder.decode_pages(inputs, writable(out));
         return status.ok() && !same_numbers(out, made.numbers) ? wrong("other numbers") : status;
       }},
  });
}

TEST(AllocationFailure, Threads) {
  EncodeConfig config;
  config.level = 1;
  config.paging = PagingSpec::equal_pages_up_to(9000);
  config.threads = 3;
  DecodeConfig reading;
  reading.threads = 3;
  const Made made = make("many chunks", NumberType::kU16, "walk", 80000, config);
  expect_all_survive({
      {"compress",
       [&] {
         Bytes bytes;
         const Status status = compress(made.numbers.view(), config).into(bytes);
         return status.ok() ? compare(bytes, made) : status;
       }},
      {"decompress",
       [&] {
         Numbers out;
         const Status status = decompress_any(made.file, reading).into(out);
         return status.ok() ? compare(out, made) : status;
       }},
      {"stream",
       [&]() -> Status {
         MemorySource source(made.file, 5000);
         StreamReader reader(source, reading);
         Numbers out = zeros(made.numbers.type(), made.numbers.count());
         std::size_t count = 0;
         const Status status = count_into(reader.read(writable(out)), count);
         return status.ok() ? compare(out, made) : status;
       }},
      {"random access",
       [&] {
         Result<FileReader> reader = FileReader::create(made.file, reading);
         if (!reader.ok()) return reader.status();
         Numbers out = zeros(made.numbers.type(), made.numbers.count());
         const Status status = reader->read(0, writable(out), reading);
         return status.ok() ? compare(out, made) : status;
       }},
  });
}

TEST(AllocationFailure, Files) {
  const Folder folder;
  const Made& made = files()[1];
  const std::string path = folder.file("a.pco");
  put(path, made.file);
  const auto append = [&]() -> Status {
    const long left = fail_in.exchange(-1);  // reading and comparing belong to the test
    put(path, made.file);
    fail_in = left;
    const Status status = append_to_file(path, made.numbers.view(), made.config);
    const long after = fail_in.exchange(-1);
    const bool is_whole = status.ok() ? decompressed(get(path)).count() == 2 * made.numbers.count()
                                      : same_bytes(get(path), made.file);
    const bool is_alone = folder.entries() == 1;
    fail_in = after;
    return is_whole && is_alone ? status : wrong("half a file");
  };
  expect_all_survive({{"append", append}});
  put(path, made.file);
  expect_all_survive({{"a mapped file",
                       [&] {
                         MappedFile file;
                         const Status status = MappedFile::open(path).into(file);
                         if (!status.ok()) return status;
                         Numbers out;
                         return decompress_any(file.bytes()).into(out);
                       }},
                      {"a file as a source", [&] {
                         FileSource source = FileSource::open(path).value();
                         StreamReader reader(source);
                         Numbers out = zeros(made.numbers.type(), made.numbers.count());
                         std::size_t count = 0;
                         return count_into(reader.read(writable(out)), count);
                       }}});
}

// Runs out of address space.
TEST(AllocationFailure, Mapping) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space of their own";
#elif defined(__linux__)
  const Folder folder;
  const std::string path = folder.file("sparse");
  put(path, Bytes(1));
  std::filesystem::resize_file(path, std::uintmax_t{1} << 36);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit little = before;
  little.rlim_cur = std::size_t{1} << 34;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  MappedFile file;
  const Status status = MappedFile::open(path).into(file);
  const Status of_vectors = cvc::Reader::open(path).status();
  setrlimit(RLIMIT_AS, &before);
  EXPECT_FALSE(status.ok());
  EXPECT_STREQ(status.what(), "the file is too large to be mapped");
  EXPECT_FALSE(of_vectors.ok());
  EXPECT_TRUE(file.bytes().empty());
#endif
}

}  // namespace
}  // namespace numpact::testing
