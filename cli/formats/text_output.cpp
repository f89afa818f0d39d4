// SPDX-License-Identifier: Apache-2.0
// Writes text: one number per line, or a table with delimiters.
#include <string>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "numbers/number_text.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

class LinesOutput final : public TableOutput {
 public:
  explicit LinesOutput(OutputFile& file) : file_(file) {}

  // A null becomes an empty line.
  void write(std::span<const ColumnBlock> columns) override {
    const TextBlock* const texts = columns[0].texts;
    for (std::size_t i = 0; i < columns[0].rows; ++i) {
      if (texts != nullptr) {
        append_line(*texts, i);
      } else if (!columns[0].is_null(i)) {
        append_number(text_, columns[0].numbers, i);
      }
      text_ += '\n';
      if (text_.size() >= kFlushBytes) flush();
    }
    flush();
  }

  void finish() override {}

 private:
  // A terminal would obey control characters.
  void append_line(const TextBlock& texts, std::size_t row) {
    const std::string_view text = texts.text(row);
    if (text.find_first_of("\n\r") != std::string_view::npos && !file_.is_terminal()) {
      throw Failure(ExitCode::kFailure, file_.name(),
                    "a text has several lines, which lines of text cannot show (--to csv)");
    }
    text_ += file_.is_terminal() ? one_line(std::string(text)) : std::string(text);
  }

  void flush() {
    file_.put(text_);
    text_.clear();
  }

  OutputFile& file_;
  std::string text_;
};

class SeparatedOutput final : public TableOutput {
 public:
  SeparatedOutput(OutputFile& file, const OutputPlan& plan, char separator)
      : file_(file),
        columns_(plan.columns),
        separator_(separator),
        is_terminal_(file.is_terminal()) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) text_ += separator_;
      // A terminal would obey control characters in a name; in a file they are data.
      append_name(file.is_terminal() ? one_line(columns_[c].name) : columns_[c].name);
    }
    text_ += '\n';
  }

  // A null becomes an empty field. Whole floats get a decimal point, so that they are read as
  // floats.
  void write(std::span<const ColumnBlock> columns) override {
    for (std::size_t row = 0; row < columns[0].rows; ++row) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) text_ += separator_;
        if (columns[c].texts != nullptr) {
          append_text(*columns[c].texts, row);
          continue;
        }
        if (columns[c].is_null(row)) continue;
        append_csv_value(text_, columns_[c].logical, columns[c].numbers, row);
      }
      text_ += '\n';
      if (text_.size() >= kFlushBytes) flush();
    }
  }

  void finish() override { flush(); }

 private:
  // Quotes as in RFC 4180 if the name contains a delimiter, a quote or a line break. A single empty
  // name is quoted too, since it would be an empty line.
  void append_name(const std::string& name) {
    const bool is_empty_line = name.empty() && columns_.size() == 1;
    if (!is_empty_line && !has_special(name)) {
      text_ += name;
    } else {
      append_quoted(name);
    }
  }

  // An empty text is quoted, since an empty field is a null.
  void append_text(const TextBlock& texts, std::size_t row) {
    if (texts.is_null(row)) return;
    std::string_view text = texts.text(row);
    std::string printable;
    if (is_terminal_) text = printable = one_line(std::string(text));
    if (text.empty() || has_special(text)) return append_quoted(text);
    text_ += text;
  }

  bool has_special(std::string_view text) const {
    const char special[] = {separator_, '"', '\n', '\r', '\0'};
    return text.find_first_of(special) != std::string_view::npos;
  }

  void append_quoted(std::string_view text) {
    text_ += '"';
    for (const char c : text) {
      if (c == '"') text_ += '"';
      text_ += c;
    }
    text_ += '"';
  }

  void flush() {
    file_.put(text_);
    text_.clear();
  }

  OutputFile& file_;
  std::vector<Column> columns_;
  char separator_;
  bool is_terminal_;
  std::string text_;
};

}  // namespace

std::unique_ptr<TableOutput> make_text(OutputFile& file, const OutputPlan& plan) {
  if (plan.columns.size() != 1) {
    fail_usage(file.name(), "text holds one column (choose it with --column, or write --to csv)");
  }
  return std::make_unique<LinesOutput>(file);
}

std::unique_ptr<TableOutput> make_csv(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<SeparatedOutput>(file, plan, ',');
}

std::unique_ptr<TableOutput> make_tsv(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<SeparatedOutput>(file, plan, '\t');
}

}  // namespace numpact::cli
