// SPDX-License-Identifier: Apache-2.0
#include "pco_file.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "failure.hpp"
#include "verifier.hpp"

namespace numpact::cli {
namespace {

// Bytes for the file, seen by the verifier too.
class VerifiedSink final : public ByteSink {
 public:
  VerifiedSink(OutputFile& file, Verifier* verifier) : file_(file), verifier_(verifier) {}

  Status write(std::span<const std::byte> bytes) override {
    if (verifier_ != nullptr) verifier_->feed(bytes);
    return file_.write(bytes);
  }

 private:
  OutputFile& file_;
  Verifier* verifier_;
};

// Chunks of one size to within one number, where the count is known.
PagingSpec even_paging(const PagingSpec& paging, std::uint64_t count) {
  const std::uint64_t most = paging.max_page_n();
  const std::uint64_t chunks = (count + most - 1) / most;
  if (chunks == 0) return paging;
  const std::uint64_t size = (count + chunks - 1) / chunks;
  return PagingSpec::equal_pages_up_to(static_cast<std::size_t>(size));
}

void check_written(const Status& status, const OutputFile& file, const std::string& place) {
  if (status.ok()) return;
  if (status.kind() == ErrorKind::kIo) file.throw_if_failed();
  check(status, place);
}

}  // namespace

WrittenFile write_pco(NumberInput& input, NumberType type, OutputFile& file,
                      const WriteOptions& options, const std::string& place) {
  const std::optional<std::uint64_t> count = input.count();
  EncodeConfig config = options.config;
  if (count) config.paging = even_paging(config.paging, *count);

  const auto verifier = options.verify ? std::make_unique<Verifier>(type) : nullptr;
  VerifiedSink sink(file, verifier.get());
  StreamWriter writer(sink, type, config, count.value_or(0));
  ProgressBar progress(place, count, options.progress);
  WrittenFile written;
  for (;;) {
    const NumberView numbers = input.next();
    if (numbers.count == 0) break;
    if (verifier != nullptr) verifier->expect(numbers);
    check_written(writer.try_write(numbers), file, place);
    written.count += numbers.count;
    progress.add(numbers.count, numbers.count * size_of(type));
  }
  check_written(writer.try_finish(), file, place);
  if (verifier != nullptr) verifier->finish(file.name());
  written.bytes = writer.bytes_written();
  return written;
}

PcoNumbers::PcoNumbers(std::unique_ptr<ByteSource> source, std::string place,
                       const DecodeConfig& config, std::optional<NumberType> dtype)
    : source_(std::move(source)), place_(std::move(place)), reader_(*source_, config) {
  check(reader_.try_header(header_), place_);
  type_ = header_.number_type ? header_.number_type : dtype;
}

PcoNumbers::PcoNumbers(const std::string& path, const DecodeConfig& config)
    : PcoNumbers(std::make_unique<Input>(path), path, config) {}

Status PcoNumbers::try_next(NumberView& numbers) {
  const NumberType type = type_.value_or(NumberType::kU8);
  if (numbers_.empty()) numbers_.resize(kPieceNumbers * size_of(type) / sizeof(std::uint64_t));
  std::size_t count = 0;
  const Status status =
      reader_.try_read(MutableNumberView(type, numbers_.data(), kPieceNumbers), count);
  numbers = NumberView(type, numbers_.data(), count);
  return status;
}

NumberView PcoNumbers::next() {
  NumberView numbers;
  check(try_next(numbers), place_);
  return numbers;
}

std::string size_text(std::uint64_t raw_bytes, std::uint64_t bytes) {
  const double ratio = bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(bytes);
  return fmt::format("{} -> {} bytes ({:.2f}x)", raw_bytes, bytes, ratio);
}

}  // namespace numpact::cli
