// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/original.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "cvc/quality/packed_file.hpp"
#include "failure.hpp"
#include "io/files.hpp"
#include "numpact/cvc/reader.hpp"

namespace numpact::cli {
namespace {

constexpr std::string_view kCvcMagic = "CVCF";

class CvcOriginal final : public Original {
 public:
  CvcOriginal(const std::string& path, const std::optional<std::string>& column) {
    name_ = path;
    Result<cvc::Reader> reader = cvc::Reader::open(path);
    check(reader.status(), path);
    reader_ = std::move(*reader);
    column_ = column_of(reader_->info(), path, column);
    dtype_ = dtype_read_from(reader_->info(), column_);
    const cvc::Column& about = reader_->info().columns[column_];
    type_ = {std::string(name_of(about.dtype)), cvc::size_of(about.dtype)};
    dimension_ = about.dimension;
    if (dimension_ == 0) fail(path, "its rows have no values");
  }

  std::optional<std::uint64_t> rows() const override { return reader_->rows(); }

  cvc::Rows next() override {
    const std::uint64_t block = kRowBlockBytes / cvc::size_of(dtype_) / dimension_;
    const cvc::RowRange range{done_,
                              std::min(std::max<std::uint64_t>(1, block), reader_->rows() - done_)};
    if (range.count == 0) return {dtype_, nullptr, 0, dimension_};
    buffer_.resize(static_cast<std::size_t>(range.count * dimension_) * cvc::size_of(dtype_));
    const cvc::Target target{cvc::MutableRows(dtype_, buffer_.data(), range.count, dimension_),
                             column_};
    check(reader_->read({&range, 1}, {&target, 1}).status(), name_);
    done_ += range.count;
    return {dtype_, buffer_.data(), range.count, dimension_};
  }

 private:
  std::optional<cvc::Reader> reader_;
  std::size_t column_ = 0;
  std::uint64_t done_ = 0;
  std::vector<std::byte> buffer_;
};

class OtherOriginal final : public Original {
 public:
  OtherOriginal(const std::string& path, const VectorOptions& options)
      : input_(open_vectors(path, options)) {
    name_ = input_->name();
    if (input_->columns().size() != 1) {
      std::string names;
      for (const Column& column : input_->columns()) {
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", column.name);
      }
      fail_usage(name_, "choose one of its columns with --column: {}", names);
    }
    dtype_ = dtype_of(input_->columns()[0]);
    const Element& element = input_->elements()[0];
    type_ = {name_of(element), size_of(element)};
    dimension_ = input_->columns()[0].dimension;
  }

  std::optional<std::uint64_t> rows() const override { return input_->rows(); }

  cvc::Rows next() override {
    const std::span<const cvc::Rows> block = input_->next();
    return block.empty() ? cvc::Rows(dtype_, nullptr, 0, dimension_) : block[0];
  }

 private:
  std::unique_ptr<VectorInput> input_;
};

// Does not check pipes: bytes read from a pipe would be lost.
bool is_cvc(const std::string& path) {
  if (!is_regular_file(path)) return false;
  Input input(path);
  const std::span<const std::byte> front = input.peek(kCvcMagic.size());
  return front.size() == kCvcMagic.size() &&
         std::memcmp(front.data(), kCvcMagic.data(), front.size()) == 0;
}

void append_rows(const cvc::Rows& rows, std::uint64_t first, std::uint64_t count,
                 std::vector<std::byte>& out) {
  const std::size_t row_bytes = static_cast<std::size_t>(rows.dimension) * size_of(rows.dtype);
  const std::size_t stride = rows.stride == 0 ? row_bytes : rows.stride;
  const auto* const data = static_cast<const std::byte*>(rows.data) + first * stride;
  if (stride == row_bytes) {
    out.insert(out.end(), data, data + count * row_bytes);
    return;
  }
  for (std::uint64_t row = 0; row < count; ++row) {
    out.insert(out.end(), data + row * stride, data + row * stride + row_bytes);
  }
}

}  // namespace

std::unique_ptr<Original> open_original(const std::string& path, const VectorOptions& options) {
  const bool may_be_cvc = options.from.empty() && options.dtype.empty();
  if (!may_be_cvc || !is_cvc(path)) return std::make_unique<OtherOriginal>(path, options);
  const std::optional<std::string> column =
      options.columns.empty() ? std::nullopt : std::optional(options.columns.front());
  return std::make_unique<CvcOriginal>(path, column);
}

void for_chunks(Original& original, std::uint64_t chunk_rows,
                const std::function<void(const cvc::Rows&)>& f) {
  std::vector<std::byte> chunk;
  std::uint64_t count = 0;
  const auto pass_on = [&] {
    f(cvc::Rows(original.dtype(), chunk.data(), count, original.dimension()));
    chunk.clear();
    count = 0;
  };
  for (;;) {
    const cvc::Rows rows = original.next();
    if (rows.count == 0) break;
    for (std::uint64_t done = 0; done < rows.count;) {
      const std::uint64_t taken = std::min(rows.count - done, chunk_rows - count);
      append_rows(rows, done, taken, chunk);
      count += taken;
      done += taken;
      if (count == chunk_rows) pass_on();
    }
  }
  if (count > 0) pass_on();
}

}  // namespace numpact::cli
