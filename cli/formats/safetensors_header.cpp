// SPDX-License-Identifier: Apache-2.0
#include "formats/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "failure.hpp"
#include "formats/row_stream.hpp"
#include "json/json.hpp"

namespace numpact::cli {

namespace json = internal::json;
namespace {

// The format's own limit, in bytes.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
// Memory that parsing may use: twice the size of the header, which real headers stay below, plus a
// constant for files with a few short names.
constexpr std::uint64_t kMemoryPerTextByte = 2;
constexpr std::uint64_t kFixedMemoryBytes = std::uint64_t{4} << 20;
// Maximum number of dimensions, as in NumPy.
constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kAlignment = 8;

struct Named {
  std::string_view name;
  Element element;
};

constexpr Named kNames[] = {
    {"F32", {NumberType::kF32}}, {"F16", {NumberType::kF16}}, {"BF16", {NumberType::kU16, true}},
    {"F64", {NumberType::kF64}}, {"I8", {NumberType::kI8}},   {"U8", {NumberType::kU8}},
    {"I16", {NumberType::kI16}}, {"U16", {NumberType::kU16}}, {"I32", {NumberType::kI32}},
    {"U32", {NumberType::kU32}}, {"I64", {NumberType::kI64}}, {"U64", {NumberType::kU64}}};

class Reader {
 public:
  using Kind = json::Kind;

  Reader(std::span<const std::byte> file, const std::string& name) : file_(file), name_(name) {}

  Tensors read() {
    const std::string_view text = header_text();
    const std::optional<json::View> header = json::parse_strict(text);
    if (!header || !header->is(Kind::kObject)) bad("the header is not a JSON object");
    const std::uint64_t count = header->count();
    // Includes a copy of the name, and a note for a tensor that holds no vectors.
    constexpr std::uint64_t kBytes = sizeof(Tensor) + 3 * sizeof(std::string);
    if (count > (kMemoryPerTextByte * text.size() + kFixedMemoryBytes) / kBytes) {
      throw Failure(
          ExitCode::kLimit, name_,
          fmt::format("limit exceeded: {} tensors in a header of {} bytes", count, text.size()));
    }
    Tensors found;
    std::vector<Tensor>& tensors = found.tensors;
    tensors.reserve(static_cast<std::size_t>(count));
    for (auto name = header->first(); name;) {
      const std::optional<json::View> value = name->next();
      if (name->says("__metadata__")) {
        // Metadata that is not an object is ignored; vectors can be read all the same.
        const bool is_empty = !value->is(Kind::kObject) || value->count() == 0;
        found.metadata = is_empty ? std::string_view() : value->text();
      } else {
        tensors.push_back(tensor(name->string(), *value));
      }
      name = value->next();
    }
    std::sort(tensors.begin(), tensors.end(),
              [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
    const auto twice =
        std::adjacent_find(tensors.begin(), tensors.end(),
                           [](const Tensor& a, const Tensor& b) { return a.name == b.name; });
    if (twice != tensors.end()) bad(fmt::format("two tensors '{}'", twice->name));
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const Tensor& a, const Tensor& b) { return a.offset < b.offset; });
    return found;
  }

 private:
  [[noreturn]] void bad(const std::string& what) const { fail_corrupt(name_, "corrupt: " + what); }

  std::string_view header_text() {
    if (file_.size() < kTensorHeadBytes) {
      fail_corrupt(name_, "truncated: the header's length is not whole");
    }
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kTensorHeadBytes; ++i) {
      length |= std::to_integer<std::uint64_t>(file_[i]) << (8 * i);
    }
    if (length > kMaxHeaderBytes) {
      bad(fmt::format("a header of {} bytes (at most {})", length, kMaxHeaderBytes));
    }
    if (length > file_.size() - kTensorHeadBytes) {
      fail_corrupt(name_, "truncated: a header of {} bytes in a file of {}", length, file_.size());
    }
    start_ = kTensorHeadBytes + length;
    return {reinterpret_cast<const char*>(file_.data()) + kTensorHeadBytes,
            static_cast<std::size_t>(length)};
  }

  std::uint64_t number(const json::View& json, const std::string& what) const {
    const std::optional<std::uint64_t> value = json.unsigned_integer();
    if (!value) bad(what + " is not a list of integers");
    return *value;
  }

  json::View member(const json::View& json, const char* key, const std::string& what) const {
    const std::optional<json::View> found = json.find(key);
    if (!found) bad(fmt::format("{} has no '{}'", what, key));
    return *found;
  }

  Tensor tensor(const std::string& name, const json::View& json) const {
    const std::string what = fmt::format("tensor '{}'", name);
    if (!json.is(Kind::kObject)) bad(what + " is not a JSON object");
    Tensor made;
    made.name = name;
    const json::View dtype = member(json, "dtype", what);
    if (!dtype.is(Kind::kString)) bad(what + ": its 'dtype' is not a string");
    made.dtype = dtype.string();
    for (const Named& known : kNames) {
      if (known.name == made.dtype) made.element = known.element;
    }
    const json::View shape = member(json, "shape", what);
    if (!shape.is(Kind::kArray)) bad(what + ": its 'shape' is not a list");
    for (auto length = shape.first(); length; length = length->next()) {
      if (made.shape.size() == kMaxDimensions) bad(what + ": its 'shape' is too long");
      made.shape.push_back(number(*length, what + ": its 'shape'"));
    }
    const json::View offsets = member(json, "data_offsets", what);
    if (!offsets.is(Kind::kArray) || offsets.count() != 2) {
      bad(what + ": its 'data_offsets' are not two integers");
    }
    const std::uint64_t begin = number(*offsets.first(), what + ": its 'data_offsets'");
    const std::uint64_t end = number(*offsets.first()->next(), what + ": its 'data_offsets'");
    if (begin > end || end > file_.size() - start_) {
      bad(fmt::format("{}: bytes {} to {} of the {} that are there", what, begin, end,
                      file_.size() - start_));
    }
    made.offset = start_ + begin;
    made.bytes = end - begin;
    if (made.element) check_size(made, what);
    return made;
  }

  void check_size(const Tensor& tensor, const std::string& what) const {
    std::uint64_t bytes = size_of(*tensor.element);
    for (const std::uint64_t length : tensor.shape) {
      bytes = checked_bytes(bytes, length, name_, what + "'s shape");
    }
    if (bytes != tensor.bytes) {
      bad(fmt::format("{} needs {} bytes, its 'data_offsets' give {}", what, bytes, tensor.bytes));
    }
  }

  std::span<const std::byte> file_;
  const std::string& name_;
  std::uint64_t start_ = 0;
};

}  // namespace

Tensors read_tensors(std::span<const std::byte> file, const std::string& name) {
  return Reader(file, name).read();
}

std::string_view tensor_dtype(const Element& element) {
  for (const Named& known : kNames) {
    if (known.element.type == element.type && known.element.is_bfloat16 == element.is_bfloat16) {
      return known.name;
    }
  }
  return "";
}

std::string tensor_header(std::span<const Tensor> tensors, const Metadata& metadata,
                          std::size_t size) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor_dtype(*tensor.element)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes}}};
    offset += tensor.bytes;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::size_t whole = (kTensorHeadBytes + text.size() + kAlignment - 1) / kAlignment * kAlignment;
  whole = std::max(whole, size);
  text.append(whole - kTensorHeadBytes - text.size(), ' ');
  std::string head;
  for (std::size_t i = 0; i < kTensorHeadBytes; ++i) {
    head += static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xff);
  }
  return head + text;
}

}  // namespace numpact::cli
