// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/packed_file.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "cvc/quality/values.hpp"
#include "failure.hpp"
#include "numpact/cvc/reader.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

class FileReader final : public cvc::quality::Decoded {
 public:
  FileReader(std::string path, cvc::Reader reader, std::size_t column)
      : path_(std::move(path)),
        reader_(std::move(reader)),
        column_(column),
        dtype_(dtype_read_from(reader_.info(), column)) {}

  void begin(const cvc::Rows& chunk) override {
    first_ += count_;
    count_ = chunk.count;
    if (count_ > reader_.rows() - first_) {
      fail(path_, "holds {} rows, the original has more", reader_.rows());
    }
  }

  void read(const cvc::RowRange& rows, std::span<float> out) override {
    const std::uint64_t dimension = reader_.info().columns[column_].dimension;
    const cvc::RowRange range{first_ + rows.first, rows.count};
    void* data = out.data();
    if (dtype_ != cvc::Dtype::kFloat32) {
      buffer_.resize(out.size() * cvc::size_of(dtype_));
      data = buffer_.data();
    }
    const cvc::Target target{cvc::MutableRows(dtype_, data, rows.count, dimension), column_};
    check(reader_.read({&range, 1}, {&target, 1}).status(), path_);
    if (dtype_ != cvc::Dtype::kFloat32) cvc::quality::floats_of(buffer_, dtype_, out);
  }

  std::uint64_t finish() override {
    if (first_ + count_ != reader_.rows()) {
      fail(path_, "holds {} rows, the original {}", reader_.rows(), first_ + count_);
    }
    platform::FileInfo found;
    if (!platform::look_at(path_, found)) fail_errno(path_, "");
    return found.bytes;
  }

 private:
  std::string path_;
  cvc::Reader reader_;
  std::size_t column_;
  cvc::Dtype dtype_;
  std::vector<std::byte> buffer_;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
};

std::string compressions_of(const cvc::Info& info, std::size_t column) {
  std::string names;
  for (const cvc::Compression compression : cvc::kCompressions) {
    for (std::size_t chunk = 0; chunk < info.chunks.size(); ++chunk) {
      if (info.slice(chunk, column).compression != compression) continue;
      names += fmt::format("{}{}", names.empty() ? "" : "+", name_of(compression));
      break;
    }
  }
  return names.empty() ? std::string(name_of(info.columns[column].compression)) : names;
}

}  // namespace

cvc::Dtype dtype_read_from(const cvc::Info& info, std::size_t column) {
  const cvc::Column& about = info.columns[column];
  switch (about.dtype) {
    case cvc::Dtype::kInt32:
    case cvc::Dtype::kInt64:
    case cvc::Dtype::kInt8:
    case cvc::Dtype::kUInt8:
      return about.compression == cvc::Compression::kNone ||
                     about.compression == cvc::Compression::kPco
                 ? about.dtype
                 : cvc::Dtype::kFloat32;
    case cvc::Dtype::kFloat32:
    case cvc::Dtype::kFloat16:
    case cvc::Dtype::kBFloat16:
    case cvc::Dtype::kFloat64:
      break;
  }
  return cvc::Dtype::kFloat32;
}

std::size_t column_of(const cvc::Info& info, const std::string& place,
                      const std::optional<std::string>& requested) {
  if (info.columns.size() == 1 && (!requested || !info.is_columnar)) return 0;
  std::string names;
  for (std::size_t i = 0; i < info.columns.size(); ++i) {
    if (requested && (*requested == info.columns[i].name || *requested == std::to_string(i)))
      return i;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", info.columns[i].name);
  }
  if (requested) fail_usage(place, "no column '{}', but {}", *requested, names);
  fail_usage(place, "choose one of its columns with --column: {}", names);
}

PackedFile open_packed(const std::string& path, const std::optional<std::string>& column,
                       std::uint64_t dimension) {
  Result<cvc::Reader> reader = cvc::Reader::open(path);
  check(reader.status(), path);
  const cvc::Info& info = reader->info();
  const std::size_t index = column_of(info, path, column);
  if (info.columns[index].dimension != dimension) {
    fail(path, "its rows have {} values, those of the original {}", info.columns[index].dimension,
         dimension);
  }
  std::string names = compressions_of(info, index);
  return {std::make_unique<FileReader>(path, std::move(*reader), index), std::move(names)};
}

}  // namespace numpact::cli
