# SPDX-License-Identifier: Apache-2.0
# Reads a Pco file of f64, compresses its numbers again, and shows the error of a damaged file.
# column_r.c connects it with the C interface:
# PKG_CPPFLAGS=$(pkg-config --cflags numpact) PKG_LIBS=$(pkg-config --libs numpact) \
#   R CMD SHLIB column_r.c && Rscript column.R prices.pco

arguments <- commandArgs(trailingOnly = TRUE)
dyn.load("column_r.so")
decompress <- function(file) .Call("column_decompress", file)
compress <- function(numbers) .Call("column_compress", numbers)

numbers <- decompress(readBin(arguments[1], "raw", file.size(arguments[1])))
cat(sprintf("%d numbers, sum %.3f\n", length(numbers), sum(numbers)))
again <- compress(numbers)
stopifnot(identical(decompress(again), numbers))
cat(sprintf("compressed again: %d bytes\n", length(again)))
half <- head(again, length(again) %/% 2)
tryCatch(decompress(half), error = function(e) cat("half of it:", conditionMessage(e), "\n"))
