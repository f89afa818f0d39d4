// SPDX-License-Identifier: Apache-2.0
// Reads a Pco file of f64, compresses its numbers again, and shows the error of a damaged file.
// column_jni.c connects it with the C interface:
// java -Djava.library.path=FOLDER_OF_LIBCOLUMN_JNI Column.java prices.pco

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

public final class Column {
  static {
    System.loadLibrary("column_jni");
  }

  /** The numbers of a file; an IllegalArgumentException has the library's text. */
  static native double[] decompress(byte[] file);

  static native byte[] compress(double[] numbers);

  public static void main(String[] arguments) throws Exception {
    double[] numbers = decompress(Files.readAllBytes(Path.of(arguments[0])));
    double sum = 0;
    for (double number : numbers) sum += number;
    System.out.printf(Locale.ROOT, "%d numbers, sum %.3f%n", numbers.length, sum);
    byte[] again = compress(numbers);
    if (!Arrays.equals(decompress(again), numbers)) throw new AssertionError("other numbers");
    System.out.printf("compressed again: %d bytes%n", again.length);
    try {
      decompress(Arrays.copyOf(again, again.length / 2));
    } catch (IllegalArgumentException error) {
      System.out.printf("half of it: %s%n", error.getMessage());
    }
  }
}
