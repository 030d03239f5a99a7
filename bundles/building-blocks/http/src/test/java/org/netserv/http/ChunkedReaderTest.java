// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.AllocatedBytes;

class ChunkedReaderTest {
  private static final String SOUND =
      String.join(
          "\r\n",
          "5",
          "hello",
          "1;a=\"b;\\\"c\" ; d",
          ",",
          "0000c \t;x",
          " world\r\n0\r\n ",
          "00;last",
          "X-Sum: abc",
          "Content-Length: 7",
          "\r\n");
  private static final String CONTENT = "hello, world\r\n0\r\n ";

  private final ChunkedReader reader = new ChunkedReader(HeadLimits.USUAL);

  /** The result of reading bytes in slices. */
  private record Outcome(ContentStep step, ContentError error, String content, int end) {}

  private Outcome read(byte[] bytes, int[] cuts) {
    reader.reset();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    ContentStep step = ContentStep.MORE;
    int at = 0;
    for (int cut : cuts) {
      do {
        step = reader.read(bytes, at, cut);
        assertTrue(reader.end() >= at && reader.end() <= cut, "read past the slice");
        if (step == ContentStep.DATA) {
          content.write(bytes, reader.dataStart(), reader.dataEnd() - reader.dataStart());
        }
        at = reader.end();
      } while (step == ContentStep.DATA && at < cut);
    }
    if (step == ContentStep.DATA) {
      step = ContentStep.MORE;
    }
    return new Outcome(step, reader.error(), content.toString(StandardCharsets.ISO_8859_1), at);
  }

  private Outcome read(String text) {
    byte[] bytes = Heads.latin(text);
    return read(bytes, new int[] {bytes.length});
  }

  @Test
  void readsChunksExtensionsAndTrailers() {
    Outcome outcome = read(SOUND + "GET / HTTP/1.1");
    assertEquals(ContentStep.END, outcome.step());
    assertEquals(CONTENT, outcome.content());
    assertEquals(SOUND.length(), outcome.end());
    assertEquals(2, reader.trailers().count());
    assertEquals("abc", reader.trailers().text(0));
  }

  @Test
  void trailersOfOneMessageAreGoneInTheNext() {
    read(SOUND);
    assertEquals(ContentStep.END, read("0\r\n\r\n").step());
    assertEquals(0, reader.trailers().count());
  }

  @Test
  void splitAtEachByteReadsTheSame() {
    byte[] bytes = Heads.latin(SOUND);
    Outcome whole = read(SOUND);
    int[] each = new int[bytes.length];
    for (int cut = 0; cut < bytes.length; cut++) {
      each[cut] = cut + 1;
      assertEquals(whole, read(bytes, new int[] {cut, bytes.length}), "split at " + cut);
    }
    assertEquals(whole, read(bytes, each));
  }

  @Test
  void cutAtEachLengthIsNotWhole() {
    for (int cut = 0; cut < SOUND.length(); cut++) {
      Outcome outcome = read(SOUND.substring(0, cut));
      assertEquals(ContentStep.MORE, outcome.step(), "cut at " + cut);
      assertTrue(CONTENT.startsWith(outcome.content()), "cut at " + cut);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\\r\\n | CHUNK_SIZE",
        ";a\\r\\n | CHUNK_SIZE",
        "\\s5\\r\\nhello\\r\\n | CHUNK_SIZE",
        "0x5\\r\\nhello\\r\\n | CHUNK_SIZE",
        "-5\\r\\nhello\\r\\n | CHUNK_SIZE",
        "+5\\r\\nhello\\r\\n | CHUNK_SIZE",
        "5 \\r\\nhello\\r\\n | CHUNK_SIZE",
        "5 5\\r\\nhello\\r\\n | CHUNK_SIZE",
        "5_0\\r\\nhello\\r\\n | CHUNK_SIZE",
        "5,\\r\\nhello\\r\\n | CHUNK_SIZE",
        "5\\u0000\\r\\nhello\\r\\n | CHUNK_SIZE",
        "00000000000000005\\r\\nhello\\r\\n | CHUNK_SIZE_LIMIT",
        "4000000000000000\\r\\n | CHUNK_SIZE_LIMIT",
        "ffffffffffffffff\\r\\n | CHUNK_SIZE_LIMIT",
        "fffffffffffffffff\\r\\n | CHUNK_SIZE_LIMIT",
        "5\\nhello\\r\\n | BARE_LF",
        "5;a\\nhello\\r\\n | BARE_LF",
        "5 \\nhello\\r\\n | BARE_LF",
        "\\n5\\r\\nhello\\r\\n | BARE_LF",
        "5\\rhello\\r\\n | BARE_CR",
        "5;a\\rb\\r\\nhello\\r\\n | BARE_CR",
        "5\\r\\nhello\\n0\\r\\n\\r\\n | BARE_LF",
        "5\\r\\nhello\\r0\\r\\n\\r\\n | BARE_CR",
        "5\\r\\nhelloo\\r\\n | CHUNK_END",
        "5\\r\\nhello0\\r\\n\\r\\n | CHUNK_END",
        "5;a=\\u0001\\r\\nhello\\r\\n | CHUNK_EXTENSION",
        "5;a=\\u007f\\r\\nhello\\r\\n | CHUNK_EXTENSION",
        "0\\r\\n\\n | BARE_LF",
        "0\\r\\nX: a\\n\\r\\n | BARE_LF",
        "0\\r\\nX: a\\rb\\r\\n\\r\\n | BARE_CR",
        "0\\r\\nX : a\\r\\n\\r\\n | TRAILER",
        "0\\r\\n X: a\\r\\n\\r\\n | TRAILER",
        "0\\r\\nX: a\\r\\n b\\r\\n\\r\\n | TRAILER",
        "0\\r\\nGET / HTTP/1.1\\r\\n\\r\\n | TRAILER"
      })
  void formsThatRecipientsReadDifferentlyAreRefusedByName(String text, ContentError error) {
    byte[] bytes = Heads.latin(unescaped(text));
    int[] each = new int[bytes.length];
    for (int i = 0; i < each.length; i++) {
      each[i] = i + 1;
    }
    assertEquals(error, read(bytes, new int[] {bytes.length}).error());
    assertEquals(error, read(bytes, each).error());
    assertEquals(ContentStep.FAULT, reader.read(bytes, 0, bytes.length), "a fault stays");
  }

  private static String unescaped(String text) {
    String plain = text;
    for (String code : new String[] {"0000", "0001", "007f"}) {
      plain = plain.replace("\\u" + code, Character.toString((char) Integer.parseInt(code, 16)));
    }
    return plain.translateEscapes();
  }

  @Test
  void theLargestSizeIsBelowTheLimitAndTakesNoMemory() {
    Outcome outcome = read("3fffffffffffffff\r\nabc");
    assertEquals(ContentStep.MORE, outcome.step());
    assertEquals("abc", outcome.content());
  }

  @Test
  void extensionsAreBounded() {
    String most = ";" + "e".repeat(ChunkedReader.EXTENSION - 1);
    assertEquals(ContentStep.END, read("0" + most + "\r\n\r\n").step());
    assertEquals(
        ContentError.CHUNK_EXTENSION_LIMIT, read("0" + most + "e\r\n\r\n").error(), "of a chunk");
    assertEquals(
        ContentError.CHUNK_EXTENSION_LIMIT,
        read("0" + " ".repeat(ChunkedReader.EXTENSION + 1)).error(),
        "blanks count");
    String chunk = "1" + most + "\r\n.\r\n";
    int count = ChunkedReader.EXTENSIONS / ChunkedReader.EXTENSION;
    assertEquals(ContentStep.END, read(chunk.repeat(count) + "0\r\n\r\n").step());
    assertEquals(
        ContentError.CHUNK_EXTENSION_LIMIT, read(chunk.repeat(count) + "0;\r\n\r\n").error());
  }

  @Test
  void trailersAreBounded() {
    ChunkedReader narrow = new ChunkedReader(new HeadLimits(100, 10, 3));
    byte[] most = Heads.latin("0\r\nX: " + "v".repeat(93) + "\r\n\r\n"); // 100 behind the size
    assertEquals(ContentStep.END, narrow.read(most, 0, most.length));
    byte[] more = Heads.latin("0\r\nX: " + "v".repeat(94) + "\r\n\r\n");
    assertEquals(ContentStep.FAULT, narrow.reset().read(more, 0, more.length));
    assertEquals(ContentError.TRAILER_LIMIT, narrow.error());
    byte[] lines = Heads.latin("0\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n");
    assertEquals(ContentStep.FAULT, narrow.reset().read(lines, 0, lines.length));
    assertEquals(ContentError.TRAILER_LIMIT, narrow.error());
  }

  @Test
  void mutantsReadTheSameInAnySlices() {
    Random random = new Random(7112);
    byte[] sound = Heads.latin(SOUND);
    int whole = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] bytes = sound.clone();
      for (int i = random.nextInt(3); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] =
            (byte) random.nextInt(random.nextBoolean() ? 64 : 256);
      }
      Outcome once = read(bytes, new int[] {bytes.length});
      int first = random.nextInt(bytes.length);
      int second = first + random.nextInt(bytes.length - first);
      Outcome sliced = read(bytes, new int[] {first, second, bytes.length});
      assertEquals(once, sliced, () -> new String(bytes, StandardCharsets.ISO_8859_1));
      whole += once.step() == ContentStep.END ? 1 : 0;
    }
    assertTrue(whole > 60_000, "only " + whole + " were sound");
  }

  @Test
  void nonsenseIsNeverAnException() {
    Random random = new Random(9112);
    byte[] alphabet = Heads.latin("0123abcf;= \t\r\n\r\n\r\nX:\"");
    byte[] bytes = new byte[60];
    for (int round = 0; round < 200_000; round++) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = alphabet[random.nextInt(alphabet.length)];
      }
      int stop = random.nextInt(bytes.length);
      Outcome outcome = read(bytes, new int[] {stop / 2, stop});
      boolean fault = outcome.step() == ContentStep.FAULT;
      assertEquals(fault, outcome.error() != ContentError.OK);
      assertNotEquals(ContentError.CUT, outcome.error());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 15, 16, 255, 256, 4095, 65_536, (1L << 62) - 1})
  void writtenHeadsAreReadAgain(long size) {
    byte[] out = new byte[ChunkedWriter.HEAD + 3];
    int end = ChunkedWriter.head(size, out, 3);
    assertTrue(end <= out.length);
    String head = new String(out, 3, end - 3, StandardCharsets.US_ASCII);
    assertEquals(Long.toHexString(size) + "\r\n", head);
    assertEquals(ContentStep.MORE, read(head).step());
  }

  @Test
  void aWrittenContentIsReadAgain() {
    byte[] out = new byte[100];
    int at = ChunkedWriter.head(3, out, 0);
    byte[] content = {'a', '\r', '\n'};
    System.arraycopy(content, 0, out, at, 3);
    at = ChunkedWriter.last(out, ChunkedWriter.line(out, at + 3));
    Outcome outcome = read(out, new int[] {at});
    assertEquals(ContentStep.END, outcome.step());
    assertArrayEquals(content, Heads.latin(outcome.content()));
    assertThrows(IllegalArgumentException.class, () -> ChunkedWriter.head(0, out, 0));
  }

  @Test
  void nothingIsAllocatedForAContent() {
    byte[] bytes = Heads.latin(SOUND);
    long[] lines = new long[1];
    Runnable work =
        () -> {
          lines[0] = 0;
          for (int round = 0; round < 50_000; round++) {
            reader.reset();
            int at = 0;
            while (reader.read(bytes, at, bytes.length) == ContentStep.DATA) {
              at = reader.end();
            }
            lines[0] += reader.trailers().count();
          }
        };
    work.run();
    assertEquals(0, AllocatedBytes.least(work));
    assertEquals(100_000, lines[0]);
  }
}
