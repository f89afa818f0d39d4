// SPDX-License-Identifier: Apache-2.0
#include "commands/rounding_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "options.hpp"
#include "report/json_text.hpp"
#include "report/print.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class T>
T require_whole(const char* option, const std::string& text) {
  const std::optional<T> number = parse_whole<T>(text);
  if (!number) fail_usage(option, "'{}' is not a number that fits", text);
  return *number;
}

// The bits of a fill value in the type of the column.
std::uint64_t fill_bits(const std::string& text, NumberType type) {
  std::uint64_t bits = 0;
  const auto store = [&](auto value) { std::memcpy(&bits, &value, sizeof value); };
  if (type == NumberType::kF64) {
    store(require_whole<double>("--fill", text));
  } else if (type == NumberType::kF32) {
    store(require_whole<float>("--fill", text));
  } else if (type == NumberType::kF16) {
    fail_usage("--fill", "columns of half precision take none");
  } else if (kind_of(type) == NumberKind::kSigned) {
    const auto value = require_whole<std::int64_t>("--fill", text);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size_of(type));
    const auto narrow = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused);
    if (narrow >> unused != value) fail_usage("--fill", "{} does not fit {}", text, name_of(type));
    if (size_of(type) == 1) store(static_cast<std::int8_t>(value));
    if (size_of(type) == 2) store(static_cast<std::int16_t>(value));
    if (size_of(type) == 4) store(static_cast<std::int32_t>(value));
    if (size_of(type) == 8) store(value);
  } else {
    const auto value = require_whole<std::uint64_t>("--fill", text);
    if (size_of(type) < 8 && value >> (8 * size_of(type)) != 0) {
      fail_usage("--fill", "{} does not fit {}", text, name_of(type));
    }
    if (size_of(type) == 1) store(static_cast<std::uint8_t>(value));
    if (size_of(type) == 2) store(static_cast<std::uint16_t>(value));
    if (size_of(type) == 4) store(static_cast<std::uint32_t>(value));
    if (size_of(type) == 8) store(value);
  }
  return bits;
}

class RoundedInput final : public NumberInput {
 public:
  RoundedInput(std::unique_ptr<NumberInput> input, Rounder& rounder, std::string place)
      : input_(std::move(input)), rounder_(rounder), place_(std::move(place)) {}

  NumberView next() override {
    const NumberView block = input_->next();
    if (block.count == 0) return block;
    numbers_.resize((block.count * size_of(block.type) + 7) / 8);
    const MutableNumberView out(block.type, numbers_.data(), block.count);
    check(rounder_.round(block, out), place_);
    return {out.type, out.data, out.count};
  }
  std::optional<std::uint64_t> count() const override { return input_->count(); }
  std::uint64_t null_count() const override { return input_->null_count(); }
  NullRuns* null_runs() override { return input_->null_runs(); }
  std::size_t row_stride() const override { return input_->row_stride(); }

 private:
  std::unique_ptr<NumberInput> input_;
  Rounder& rounder_;
  std::string place_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace

void add_rounding_options(CLI::App& command, RoundingArgs& args) {
  const auto add = [&](const char* name, std::vector<std::string>& to, const char* what,
                       const char* type) { add_list(command, name, type, to, what); };
  add("--max-error", args.max_error,
      "Round within this absolute error to what compresses best: floats, or COLUMN=E for one "
      "column; may be given again",
      "E");
  add("--decimals", args.decimals, "Decimals that are kept; given as --max-error", "N");
  add("--keep-bits", args.keep_bits, "Bits of the mantissa that are kept; given as --max-error",
      "N");
  add("--fill", args.fill,
      "The value of missing numbers, which rounding keeps, or COLUMN=VALUE; may be given again",
      "VALUE");
}

template <class Parse>
void Roundings::add(const char* option, const std::vector<std::string>& args,
                    std::span<const std::string> names, const std::string& file,
                    const Parse& parse) {
  for (const std::string& arg : args) {
    const std::size_t equals = arg.rfind('=');
    const bool is_named = equals != std::string::npos;
    if (is_named && names.empty()) {
      fail_usage(option, "{} has no columns, '{}' does not apply", file, arg);
    }
    const std::string value = is_named ? arg.substr(equals + 1) : arg;
    if (columns_.empty()) columns_.resize(std::max<std::size_t>(names.size(), 1));
    if (is_named) {
      parse(columns_[find_name(names, file, arg.substr(0, equals))], value, true);
    } else {
      for (Of& column : columns_) parse(column, value, false);
    }
  }
}

Roundings::Roundings(const RoundingArgs& args, std::span<const std::string> names,
                     const std::string& file) {
  const auto set = [](const char* option, Of& column, const RoundingSpec& spec, bool is_named) {
    if (column.spec && column.is_named == is_named && std::strcmp(column.option, option) != 0) {
      fail_usage(option, "contradicts {}", column.option);
    }
    if (column.spec && column.is_named && !is_named) return;
    column.spec = spec;
    column.option = option;
    column.is_named = is_named;
  };
  add("--max-error", args.max_error, names, file,
      [&](Of& column, const std::string& text, bool is_named) {
        set("--max-error", column,
            RoundingSpec::max_error(require_whole<double>("--max-error", text)), is_named);
      });
  add("--decimals", args.decimals, names, file,
      [&](Of& column, const std::string& text, bool is_named) {
        set("--decimals", column, RoundingSpec::decimals(require_whole<int>("--decimals", text)),
            is_named);
      });
  add("--keep-bits", args.keep_bits, names, file,
      [&](Of& column, const std::string& text, bool is_named) {
        set("--keep-bits", column,
            RoundingSpec::keep_bits(require_whole<std::uint8_t>("--keep-bits", text)), is_named);
      });
  if (!columns_.empty()) names_.assign(names.begin(), names.end());
  if (columns_.empty() && !args.fill.empty()) {
    fail_usage("--fill", "applies to --max-error, --decimals and --keep-bits");
  }
  std::vector<bool> has_own(columns_.size());
  add("--fill", args.fill, names, file, [&](Of& column, const std::string& text, bool is_named) {
    const auto index = static_cast<std::size_t>(&column - columns_.data());
    if (!is_named && has_own[index]) return;
    column.fill = text;
    has_own[index] = is_named;
  });
}

std::unique_ptr<NumberInput> Roundings::wrap(std::unique_ptr<NumberInput> input, std::size_t index,
                                             const Column& column, const EncodeConfig& encode,
                                             const std::string& place) {
  if (columns_.empty()) return input;
  Of& of = columns_[index];
  if (!of.spec) return input;
  const bool is_number = column.logical.kind == LogicalKind::kNumber;
  const bool is_asked_for = of.is_named || names_.empty();
  if (!is_asked_for && (!is_number || kind_of(column.type) != NumberKind::kFloat)) return input;
  if (!is_number) {
    fail_usage(of.option, "{}: not a column of numbers, which can be rounded", place);
  }
  RoundingSpec spec = *of.spec;
  if (!of.fill.empty()) {
    const std::uint64_t bits = fill_bits(of.fill, column.type);
    spec = spec.with_fill(NumberView(column.type, &bits, 1));
  }
  Result<Rounder> made = Rounder::create(spec, column.type, encode);
  if (!made.ok()) fail_usage(of.option, "{}: {}", place, made.status().message());
  of.rounder = std::make_unique<Rounder>(*std::move(made));
  return std::make_unique<RoundedInput>(std::move(input), *of.rounder, place);
}

void Roundings::print(const std::string& output, bool as_json, bool is_quiet) const {
  if (as_json) print_report(json(output));
  if (is_quiet) return;
  for (const Done& column : done()) {
    const std::string place = column.name.empty() ? output : column_place(output, column.name);
    print_message("{}: {}", place, text_of(column.report));
  }
}

void Roundings::require_use() const {
  for (const Of& column : columns_) {
    if (column.rounder != nullptr) return;
  }
  if (columns_.empty()) return;
  for (const Of& column : columns_) {
    if (column.spec) fail_usage(column.option, "there is no column that it rounds");
  }
}

std::vector<Roundings::Done> Roundings::done() const {
  std::vector<Done> all;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].rounder == nullptr) continue;
    all.push_back({names_.empty() ? "" : names_[i], columns_[i].rounder->report()});
  }
  return all;
}

std::string Roundings::text_of(const RoundingReport& report) {
  const std::string kept =
      report.kept == 0 ? "" : fmt::format(", {} kept as they are", grouped(report.kept));
  return fmt::format("largest error {} ({} of {} numbers changed{})", report.max_error,
                     grouped(report.changed), grouped(report.count), kept);
}

std::string Roundings::json(const std::string& output) const {
  Json json;
  json["output"] = output;
  json["rounded"] = Json::array();
  for (const Done& column : done()) {
    Json entry;
    if (!names_.empty()) entry["column"] = column.name;
    entry["count"] = column.report.count;
    entry["changed"] = column.report.changed;
    entry["kept"] = column.report.kept;
    entry["max_error"] = column.report.max_error;
    entry["step"] = column.report.step;
    json["rounded"].push_back(entry);
  }
  return dump(json);
}

}  // namespace numpact::cli
