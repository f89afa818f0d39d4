// SPDX-License-Identifier: Apache-2.0
#include "cvc/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cvc/row_stream.hpp"
#include "failure.hpp"

namespace numpact::cli {
namespace {

using Json = nlohmann::json;

// Far more than the headers of large models; parsing takes many times as much memory.
constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{1} << 25;
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
  Reader(std::span<const std::byte> file, const std::string& name) : file_(file), name_(name) {}

  std::vector<Tensor> read() {
    const std::string_view text = header_text();
    const Json header = Json::parse(text, nullptr, false);
    if (!header.is_object()) bad("the header is no JSON object");
    std::vector<Tensor> tensors;
    for (const auto& [name, json] : header.items()) {
      if (name != "__metadata__") tensors.push_back(tensor(name, json));
    }
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const Tensor& a, const Tensor& b) { return a.offset < b.offset; });
    return tensors;
  }

 private:
  [[noreturn]] void bad(const std::string& what) const {
    throw Failure(ExitCode::kCorrupt, name_, "corrupt: " + what);
  }

  std::string_view header_text() {
    if (file_.size() < kTensorHeadBytes) {
      throw Failure(ExitCode::kCorrupt, name_, "truncated: the header's length is not whole");
    }
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kTensorHeadBytes; ++i) {
      length |= std::to_integer<std::uint64_t>(file_[i]) << (8 * i);
    }
    if (length > kMaxHeaderBytes) {
      bad(fmt::format("a header of {} bytes (at most {})", length, kMaxHeaderBytes));
    }
    if (length > file_.size() - kTensorHeadBytes) {
      throw Failure(
          ExitCode::kCorrupt, name_,
          fmt::format("truncated: a header of {} bytes in a file of {}", length, file_.size()));
    }
    start_ = kTensorHeadBytes + length;
    return {reinterpret_cast<const char*>(file_.data()) + kTensorHeadBytes,
            static_cast<std::size_t>(length)};
  }

  std::uint64_t number(const Json& json, const std::string& what) const {
    if (!json.is_number_unsigned()) bad(what + " is no list of integers");
    return json.get<std::uint64_t>();
  }

  const Json& member(const Json& json, const char* key, const std::string& what) const {
    const auto found = json.find(key);
    if (found == json.end()) bad(fmt::format("{} has no '{}'", what, key));
    return *found;
  }

  Tensor tensor(const std::string& name, const Json& json) const {
    const std::string what = fmt::format("tensor '{}'", name);
    if (!json.is_object()) bad(what + " is no JSON object");
    Tensor made;
    made.name = name;
    const Json& dtype = member(json, "dtype", what);
    if (!dtype.is_string()) bad(what + ": its 'dtype' is no string");
    made.dtype = dtype.get<std::string>();
    for (const Named& known : kNames) {
      if (known.name == made.dtype) made.element = known.element;
    }
    const Json& shape = member(json, "shape", what);
    if (!shape.is_array()) bad(what + ": its 'shape' is no list");
    for (const Json& length : shape) made.shape.push_back(number(length, what + ": its 'shape'"));
    const Json& offsets = member(json, "data_offsets", what);
    if (!offsets.is_array() || offsets.size() != 2) bad(what + ": its 'data_offsets' are no two");
    const std::uint64_t begin = number(offsets[0], what + ": its 'data_offsets'");
    const std::uint64_t end = number(offsets[1], what + ": its 'data_offsets'");
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

std::vector<Tensor> read_tensors(std::span<const std::byte> file, const std::string& name) {
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

std::string tensor_header(std::span<const Tensor> tensors, std::size_t size) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor_dtype(*tensor.element)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes}}};
    offset += tensor.bytes;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
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
