// SPDX-License-Identifier: Apache-2.0
// Writes text: one number per line, or a table with delimiters.
#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "numbers/number_text.hpp"
#include "numpact/executor.hpp"
#include "text/printable.hpp"
#include "text/text_buffer.hpp"

namespace numpact::cli {
namespace {

// Values of a part, the rows that one task makes to text. Text of a part, up to about 30 bytes for
// a number, should fit the second-level cache; smaller parts spend more time on starting tasks.
constexpr std::size_t kPartValues = std::size_t{1} << 13;

// Makes the rows of a block to text, part by part, several of them at the same time.
class TextWriter {
 public:
  TextWriter(OutputFile& file, unsigned threads)
      : file_(file), executor_(threads), parts_(executor_.concurrency()) {}

  // Calls append(text, first, end) for all rows, on several threads, and writes the texts in the
  // order of the rows. If some calls throw, the rows before the first of them are written.
  template <class Append>
  void write(std::size_t rows, std::size_t columns, const Append& append) {
    const std::size_t part_rows = std::max<std::size_t>(1, kPartValues / columns);
    for (std::size_t first = 0; first < rows;) {
      const std::size_t parts_left = (rows - first + part_rows - 1) / part_rows;
      Round<Append> round{append, parts_, first, part_rows, rows};
      round.part_n = std::min(parts_left, parts_.size());
      if (round.part_n == 1) {
        round.make(0);
      } else {
        executor_.run(round.part_n, &Round<Append>::run, &round);
      }
      for (std::size_t i = 0; i < round.part_n; ++i) {
        if (parts_[i].failure) std::rethrow_exception(std::exchange(parts_[i].failure, nullptr));
        file_.put(parts_[i].text.view());
      }
      first += round.part_n * part_rows;
    }
  }

 private:
  struct Part {
    TextBuffer text;
    std::exception_ptr failure;
  };

  // Parts that are made at the same time.
  template <class Append>
  struct Round {
    const Append& append;
    std::vector<Part>& parts;
    std::size_t first;
    std::size_t part_rows;
    std::size_t rows;
    std::size_t part_n = 0;

    void make(std::size_t i) noexcept {
      Part& part = parts[i];
      part.text.clear();
      const std::size_t begin = first + i * part_rows;
      try {
        append(part.text, begin, std::min(rows, begin + part_rows));
      } catch (...) {
        part.failure = std::current_exception();
      }
    }
    static void run(void* round, std::size_t i) noexcept { static_cast<Round*>(round)->make(i); }
  };

  OutputFile& file_;
  ThreadExecutor executor_;
  std::vector<Part> parts_;  // kept, so that their memory is allocated once
};

class LinesOutput final : public TableOutput {
 public:
  LinesOutput(OutputFile& file, const OutputPlan& plan)
      : name_(file.name()), is_terminal_(file.is_terminal()), writer_(file, plan.threads) {}

  // A null becomes an empty line.
  void write(std::span<const ColumnBlock> columns) override {
    const ColumnBlock& column = columns[0];
    writer_.write(column.rows, 1, [&](TextBuffer& text, std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        if (column.texts != nullptr) {
          append_line(text, *column.texts, i);
        } else if (!column.is_null(i)) {
          text.end_at(put_number(text.room(kMaxValueBytes), column.numbers, i));
        }
        text.add('\n');
      }
    });
  }

  void finish() override {}

 private:
  // A terminal would obey control characters.
  void append_line(TextBuffer& to, const TextBlock& texts, std::size_t row) const {
    const std::string_view text = texts.text(row);
    if (text.find_first_of("\n\r") != std::string_view::npos && !is_terminal_) {
      fail(name_, "a text has several lines, which lines of text cannot show (--to csv)");
    }
    if (is_terminal_) return to.add(one_line(text));
    to.add(text);
  }

  std::string name_;
  bool is_terminal_;
  TextWriter writer_;
};

class SeparatedOutput final : public TableOutput {
 public:
  SeparatedOutput(OutputFile& file, const OutputPlan& plan, char separator)
      : columns_(plan.columns),
        separator_(separator),
        is_terminal_(file.is_terminal()),
        writer_(file, plan.threads) {
    TextBuffer names;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) names.add(separator_);
      // A terminal would obey control characters in a name; in a file they are data.
      append_name(names, is_terminal_ ? one_line(columns_[c].name) : columns_[c].name);
    }
    names.add('\n');
    file.put(names.view());
  }

  // A null becomes an empty field. Whole floats get a decimal point, so that they are read as
  // floats.
  void write(std::span<const ColumnBlock> columns) override {
    writer_.write(columns[0].rows, columns.size(),
                  [&](TextBuffer& text, std::size_t first, std::size_t end) {
                    for (std::size_t row = first; row < end; ++row) append_row(text, columns, row);
                  });
  }

  void finish() override {}

 private:
  void append_row(TextBuffer& text, std::span<const ColumnBlock> columns, std::size_t row) const {
    const std::size_t row_bytes = columns.size() * (kMaxValueBytes + 1);
    char* to = text.room(row_bytes);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) *to++ = separator_;
      if (columns[c].texts != nullptr) {
        text.end_at(to);
        append_text(text, *columns[c].texts, row);
        to = text.room(row_bytes);
      } else if (!columns[c].is_null(row)) {
        to = put_csv_value(to, columns_[c].logical, columns[c].numbers, row);
      }
    }
    *to++ = '\n';
    text.end_at(to);
  }

  // Quotes as in RFC 4180 if the name contains a delimiter, a quote or a line break. A single empty
  // name is quoted too, since it would be an empty line.
  void append_name(TextBuffer& to, std::string_view name) const {
    const bool is_empty_line = name.empty() && columns_.size() == 1;
    if (!is_empty_line && !has_special(name)) {
      to.add(name);
    } else {
      append_quoted(to, name);
    }
  }

  // An empty text is quoted, since an empty field is a null.
  void append_text(TextBuffer& to, const TextBlock& texts, std::size_t row) const {
    if (texts.is_null(row)) return;
    std::string_view text = texts.text(row);
    std::string printable;
    if (is_terminal_) text = printable = one_line(text);
    if (text.empty() || has_special(text)) return append_quoted(to, text);
    to.add(text);
  }

  bool has_special(std::string_view text) const {
    const char special[] = {separator_, '"', '\n', '\r', '\0'};
    return text.find_first_of(special) != std::string_view::npos;
  }

  static void append_quoted(TextBuffer& to, std::string_view text) {
    to.add('"');
    for (const char c : text) {
      if (c == '"') to.add('"');
      to.add(c);
    }
    to.add('"');
  }

  std::vector<Column> columns_;
  char separator_;
  bool is_terminal_;
  TextWriter writer_;
};

}  // namespace

std::unique_ptr<TableOutput> make_text(OutputFile& file, const OutputPlan& plan) {
  if (plan.columns.size() != 1) {
    fail_usage(file.name(), "text holds one column (choose it with --column, or write --to csv)");
  }
  return std::make_unique<LinesOutput>(file, plan);
}

std::unique_ptr<TableOutput> make_csv(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<SeparatedOutput>(file, plan, ',');
}

std::unique_ptr<TableOutput> make_tsv(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<SeparatedOutput>(file, plan, '\t');
}

}  // namespace numpact::cli
