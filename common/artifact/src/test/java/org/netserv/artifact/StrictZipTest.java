// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarInputStream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyException.Reason;
import org.netserv.artifact.refusal.VerifyLimits;
import org.netserv.artifact.zip.StrictZip;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;

/** Archives with two readings, made byte by byte. */
class StrictZipTest {
  private static final int CENTRAL = 0x02014b50;
  private static final int END = 22;

  private static void refused(Reason reason, byte[] zip) {
    refused(reason, zip, VerifyLimits.DEFAULT);
  }

  private static void refused(Reason reason, byte[] zip, VerifyLimits limits) {
    VerifyException e = assertThrows(VerifyException.class, () -> StrictZip.read(zip, limits));
    assertEquals(reason, e.reason(), e.getMessage());
  }

  private static byte[] zip(ZipItem... items) {
    return ZipWriter.write(List.of(items));
  }

  private static byte[] two() {
    return zip(TestJar.item("one", "first first first first"), TestJar.item("two", "second"));
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Offset of the nth central header. */
  private static int central(byte[] zip, int nth) {
    ByteBuffer b = little(zip);
    int at = b.getInt(zip.length - END + 16);
    for (int i = 0; i < nth; i++) {
      at += 46 + b.getShort(at + 28) + b.getShort(at + 30) + b.getShort(at + 32);
    }
    assertEquals(CENTRAL, b.getInt(at));
    return at;
  }

  private static byte[] patched(byte[] zip, int at, int... values) {
    byte[] copy = zip.clone();
    for (int i = 0; i < values.length; i++) {
      copy[at + i] = (byte) values[i];
    }
    return copy;
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  @Test
  void readsWhatTheJdkWrites() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("dir/"));
      zip.putNextEntry(new ZipEntry("dir/a"));
      zip.write("deflated, with a data descriptor".getBytes(StandardCharsets.UTF_8));
      ZipEntry stored = new ZipEntry("stored");
      stored.setMethod(ZipEntry.STORED);
      CRC32 crc = new CRC32();
      crc.update(1);
      stored.setCrc(crc.getValue());
      stored.setSize(1);
      zip.putNextEntry(stored);
      zip.write(1);
    }
    List<ZipItem> items = StrictZip.read(out.toByteArray(), VerifyLimits.DEFAULT);
    assertEquals(List.of("dir/", "dir/a", "stored"), items.stream().map(ZipItem::name).toList());
    assertArrayEquals(new byte[] {1}, items.get(2).content());
  }

  @Test
  void jdkReadsWhatWeWrite() throws Exception {
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(two()))) {
      assertEquals("one", in.getNextEntry().getName());
      assertEquals(
          "first first first first", new String(in.readAllBytes(), StandardCharsets.UTF_8));
      assertEquals("two", in.getNextEntry().getName());
    }
  }

  /** From the front the file is one archive, from its end another. */
  @Test
  void refusesTwoViewsOneArchiveBehindAnother() throws Exception {
    byte[] good = TestSigner.ed25519().sign(TestJar.bundle());
    byte[] evil = zip(TestJar.item("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\n"));
    byte[] both = joined(good, evil);
    try (JarInputStream front = new JarInputStream(new ByteArrayInputStream(both))) {
      assertNotEquals(
          null, front.getManifest().getMainAttributes().getValue("Bundle-SymbolicName"));
    }
    assertThrows(VerifyException.class, () -> StrictZip.read(both, VerifyLimits.DEFAULT));
  }

  /** The same, with the offsets of the second archive made right. */
  @Test
  void refusesEntriesThatTheDirectoryLeavesOut() throws Exception {
    byte[] zip = two();
    int first = central(zip, 0);
    int second = central(zip, 1);
    byte[] hidden = joined(Arrays.copyOf(zip, first), Arrays.copyOfRange(zip, second, zip.length));
    ByteBuffer b = little(hidden);
    int end = hidden.length - END;
    b.putShort(end + 8, (short) 1).putShort(end + 10, (short) 1);
    b.putInt(end + 12, end - first).putInt(end + 16, first);
    try (ZipInputStream front = new ZipInputStream(new ByteArrayInputStream(hidden))) {
      assertEquals("one", front.getNextEntry().getName());
    }
    refused(Reason.TWO_VIEWS, hidden);
  }

  @Test
  void refusesDirectoryInAnotherOrder() {
    byte[] zip = two();
    int first = central(zip, 0);
    int second = central(zip, 1);
    int end = zip.length - END;
    refused(
        Reason.TWO_VIEWS,
        joined(
            Arrays.copyOf(zip, first),
            Arrays.copyOfRange(zip, second, end),
            Arrays.copyOfRange(zip, first, second),
            Arrays.copyOfRange(zip, end, zip.length)));
  }

  @Test
  void refusesBytesBeforeBetweenAndBehind() {
    byte[] zip = two();
    refused(Reason.STRUCTURE, joined(new byte[] {1}, zip));
    refused(Reason.STRUCTURE, joined(zip, new byte[] {1}));
    int directory = central(zip, 0);
    byte[] gap =
        joined(
            Arrays.copyOf(zip, directory),
            new byte[4],
            Arrays.copyOfRange(zip, directory, zip.length));
    little(gap).putInt(gap.length - END + 16, directory + 4);
    refused(Reason.TWO_VIEWS, gap);
  }

  @Test
  void refusesComment() {
    byte[] zip = joined(two(), new byte[] {'h', 'i'});
    little(zip).putShort(zip.length - 4, (short) 2);
    refused(Reason.STRUCTURE, zip);
  }

  @ParameterizedTest
  @CsvSource({
    "4, TWO_VIEWS",
    "6, TWO_VIEWS",
    "8, TWO_VIEWS",
    "10, TWO_VIEWS",
    "14, TWO_VIEWS",
    "18, TWO_VIEWS",
    "22, TWO_VIEWS",
    "26, TWO_VIEWS",
    "30, TWO_VIEWS",
    "0, TWO_VIEWS"
  })
  void refusesLocalHeaderThatDiffers(int offset, Reason reason) {
    byte[] zip = two();
    refused(reason, patched(zip, offset, zip[offset] ^ 2));
  }

  @Test
  void refusesEncryptedUnknownFlagsMethodsAndParts() {
    byte[] zip = two();
    int at = central(zip, 0);
    refused(Reason.ENCRYPTED, patched(zip, at + 8, 1));
    refused(Reason.STRUCTURE, patched(zip, at + 8, 1 << 5));
    refused(Reason.METHOD, patched(zip, at + 10, 12));
    refused(Reason.STRUCTURE, patched(zip, at + 34, 1));
    refused(Reason.ZIP64, patched(zip, at + 6, 45));
    refused(Reason.ZIP64, patched(zip, at + 20, 0xff, 0xff, 0xff, 0xff));
    refused(Reason.ZIP64, patched(zip, zip.length - END + 10, 0xff, 0xff));
    refused(Reason.STRUCTURE, patched(zip, zip.length - END + 4, 1));
    // A symbolic link, as Unix tools note it.
    refused(Reason.STRUCTURE, patched(patched(zip, at + 4, 20, 3), at + 38, 0, 0, 0, 0xa0));
  }

  @Test
  void refusesDataThatIsNotWhatItSays() {
    byte[] zip = two();
    int at = central(zip, 0);
    byte[] crc = patched(patched(zip, 14, 1, 2, 3, 4), at + 16, 1, 2, 3, 4);
    refused(Reason.DATA, crc);
    refused(Reason.BOMB, patched(patched(zip, 22, 3), at + 24, 3));
    refused(Reason.DATA, patched(patched(zip, 22, 100), at + 24, 100));
  }

  @Test
  void refusesBombsWhileTheyAreSmall() {
    byte[] bomb = zip(new ZipItem("zeros", new byte[8 << 20], ZipItem.EPOCH));
    refused(Reason.BOMB, bomb);
    // One that understates its size is found while inflating.
    int at = central(bomb, 0);
    refused(Reason.BOMB, patched(patched(bomb, 22, 0, 0, 1, 0), at + 24, 0, 0, 1, 0));
    byte[] huge = patched(patched(bomb, 22, 0, 0, 0, 0x7f), at + 24, 0, 0, 0, 0x7f);
    refused(Reason.TOO_LARGE, huge);
  }

  @Test
  void refusesOverLimits() {
    byte[] zip = two();
    refused(Reason.TOO_LARGE, zip, VerifyLimits.DEFAULT.withFileBytes(zip.length - 1));
    refused(Reason.TOO_LARGE, zip, new VerifyLimits(1000, 1, 1000, 1000, 100));
    refused(Reason.TOO_LARGE, zip, new VerifyLimits(1000, 10, 22, 1000, 100));
    refused(Reason.TOO_LARGE, zip, new VerifyLimits(1000, 10, 1000, 28, 100));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../up",
        "/root",
        "a/../b",
        "a//b",
        "./a",
        "a/.",
        "c:x",
        "a\\b",
        "nul\0",
        "line\nend",
        "e\u0301"
      })
  void refusesNames(String name) {
    refused(Reason.NAME, zip(TestJar.item(name, "x")));
  }

  @Test
  void refusesDuplicates() {
    refused(Reason.DUPLICATE, zip(TestJar.item("a", "1"), TestJar.item("a", "2")));
    refused(
        Reason.DUPLICATE, zip(TestJar.item("Com/A.class", "1"), TestJar.item("com/a.class", "2")));
    refused(Reason.DUPLICATE, zip(TestJar.item("a/b", "1"), TestJar.item("a", "2")));
    refused(Reason.DUPLICATE, zip(TestJar.item("a", "1"), TestJar.item("a/", "")));
    refused(Reason.STRUCTURE, zip(TestJar.item("a/", "content")));
  }
}
