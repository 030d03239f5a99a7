// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.http.Field;
import org.netserv.http.Heads;

/** Reads and writes structured fields by the rules and examples of RFC 9651. */
class StructuredFieldsTest {
  private static final String LIST =
      "a;b=1;c, (\"x\\\"y\" 2.5);d=?0, :AQID:, @-9, %\"%c3%bc!\", ?1, -999999999999999";
  private static final String DICTIONARY = "a=(1 2);x, b;y=?0, c=%\"%e2%82%ac\", *d=\"e\"";

  private static byte[] latin(String text) {
    return Heads.latin(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "1 | 1",
        "  -0   | 0",
        "000123 | 123",
        "999999999999999 | 999999999999999",
        "1.50 | 1.5",
        "-0.0 | 0.0",
        "123456789012.123 | 123456789012.123",
        "\"a \\\\ \\\" b\" | \"a \\\\ \\\" b\"",
        "*a:/b!#$%&'*+-.^_~ | *a:/b!#$%&'*+-.^_~",
        ":aGVsbG8: | :aGVsbG8=:",
        ":: | ::",
        "?0 | ?0",
        "@1659578233 | @1659578233",
        "%\"f%c3%bc%c3%bc %22\" | %\"f%c3%bc%c3%bc %22\"",
        "a;x=1; y=?1;x=2 | a;x=2;y"
      })
  void items(String text, String canonical) throws StructuredException {
    assertEquals(canonical, StructuredWriter.item(StructuredParser.item(latin(text))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "--1",
        "1a",
        "1 2",
        "1000000000000000",
        "1.",
        ".1",
        "1.1234",
        "1234567890123.1",
        "\"a",
        "\"a\\",
        "\"a\\b\"",
        "\"a\tb\"",
        "\"\u00fc\"",
        "&a",
        ":a*b:",
        ":aGVsbG8",
        ":a=b=:",
        "?2",
        "?",
        "@1.5",
        "@",
        "%a",
        "%\"%C3%BC\"",
        "%\"%c3\"",
        "%\"%f\"",
        "%\"%zz\"",
        "%\"a",
        "a;",
        "a;B",
        "a;b=",
        "a ;b",
        "\ta",
        "(a)"
      })
  void itemsThatAreNone(String text) {
    assertThrows(StructuredException.class, () -> StructuredParser.item(latin(text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a,", "a,,b", ",a", "a b", "(a", "(a,b)", "(a b", "(a  \"", "((a))", "(a)b", "a\fb"
      })
  void listsThatAreNone(String text) {
    assertThrows(StructuredException.class, () -> StructuredParser.list(latin(text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,", "A=1", "a=", "a=1 b=2", "a==1", "1=2", "a=1,,b=2", "a =1", "=1"})
  void dictionariesThatAreNone(String text) {
    assertThrows(StructuredException.class, () -> StructuredParser.dictionary(latin(text)));
  }

  @Test
  void emptyListsAndDictionariesHaveNoMember() throws StructuredException {
    assertEquals(List.of(), StructuredParser.list(latin("  ")));
    assertEquals(Map.of(), StructuredParser.dictionary(latin("")));
    assertEquals("", StructuredWriter.list(List.of()));
    assertEquals("", StructuredWriter.dictionary(Map.of()));
    assertEquals("()", StructuredWriter.list(StructuredParser.list(latin("(   )"))));
  }

  @Test
  void theLastOfEqualKeysCountsInTheFirstOnesPlace() throws StructuredException {
    Map<String, Member> members = StructuredParser.dictionary(latin("a=1,\t b, a=2;x"));
    assertEquals("a=2;x, b", StructuredWriter.dictionary(members));
  }

  @Test
  void linesOfAFieldAreOneValue() throws StructuredException {
    var fields = Heads.fields("Cache-Status: a; hit", "X: y", "cache-status:", "Cache-Status: b");
    byte[] value = StructuredParser.combined(fields, Field.CACHE_STATUS);
    assertArrayEquals(latin("a; hit, , b"), value);
    assertThrows(StructuredException.class, () -> StructuredParser.list(value));
    assertEquals(0, StructuredParser.combined(fields, Field.VARY).length);
    var two = Heads.fields("Cache-Status: a; hit", "Cache-Status: b");
    byte[] both = StructuredParser.combined(two, Field.CACHE_STATUS);
    assertEquals("a;hit, b", StructuredWriter.list(StructuredParser.list(both)));
  }

  @Test
  void faultsNameTheirPlace() {
    StructuredException fault =
        assertThrows(StructuredException.class, () -> StructuredParser.list(latin("a, &")));
    assertEquals(3, fault.position());
    assertTrue(fault.getMessage().contains("no item begins so"));
  }

  @Test
  void valuesThatATypeCannotHoldAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Int(BareItem.MOST + 1));
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Date(-BareItem.MOST - 1));
    BigDecimal large = new BigDecimal("999999999999.9999");
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Decimal(large));
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Text("\u00fc"));
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Token("1"));
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Token(""));
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Display("\ud800"));
    assertThrows(IllegalArgumentException.class, () -> new BareItem.Bytes("*"));
    assertThrows(IllegalArgumentException.class, () -> new Parameters(Map.of("A", BareItem.TRUE)));
    assertThrows(
        IllegalArgumentException.class,
        () -> StructuredWriter.dictionary(Map.of("", Item.of(BareItem.TRUE))));
  }

  @Test
  void decimalsAreRoundedHalfToEven() {
    assertEquals("0.002", decimal("0.0025"));
    assertEquals("0.004", decimal("0.0035"));
    assertEquals("-1.0", decimal("-1"));
    assertEquals("100.0", decimal("1E2"));
  }

  private static String decimal(String value) {
    return StructuredWriter.item(Item.of(new BareItem.Decimal(new BigDecimal(value))));
  }

  /** A cut value is refused, or is the beginning of the list up to a comma or inside a number. */
  @Test
  void cutAtEveryLength() {
    int refused = 0;
    for (int cut = 0; cut < LIST.length(); cut++) {
      refused += reads(LIST.substring(0, cut)) ? 0 : 1;
    }
    assertTrue(refused > LIST.length() / 3, refused + " cuts were refused");
    assertTrue(reads(LIST));
  }

  private static boolean reads(String text) {
    try {
      StructuredParser.list(latin(text));
      return true;
    } catch (StructuredException e) {
      return false;
    }
  }

  /** A mutant that is read and written is read as the same value again. */
  @Test
  void mutantsComeRound() throws StructuredException {
    Random random = new Random(9651);
    int read = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] list = mutant(LIST, random);
      try {
        List<Member> members = StructuredParser.list(list);
        read++;
        String text = StructuredWriter.list(members);
        assertEquals(members, StructuredParser.list(latin(text)));
      } catch (StructuredException e) {
        assertTrue(e.position() <= list.length);
      }
      byte[] dictionary = mutant(DICTIONARY, random);
      try {
        Map<String, Member> members = StructuredParser.dictionary(dictionary);
        read++;
        String text = StructuredWriter.dictionary(members);
        assertEquals(members, StructuredParser.dictionary(latin(text)));
      } catch (StructuredException e) {
        assertTrue(e.position() <= dictionary.length);
      }
    }
    assertTrue(read > 20_000, "only " + read + " were read");
  }

  private static byte[] mutant(String text, Random random) {
    byte[] bytes = latin(text);
    byte[] marks = latin("()\"\\;,=?@%:*.-_ \tab19");
    for (int i = random.nextInt(3); i >= 0; i--) {
      byte mark = marks[random.nextInt(marks.length)];
      bytes[random.nextInt(bytes.length)] =
          random.nextInt(8) > 0 ? mark : (byte) random.nextInt(256);
    }
    return bytes;
  }

  /** Random values of all types are written, read, and are the same. */
  @Test
  void valuesComeRound() throws StructuredException {
    Random random = new Random(8941);
    for (int round = 0; round < 20_000; round++) {
      List<Member> members = new ArrayList<>();
      for (int i = random.nextInt(5); i > 0; i--) {
        members.add(random.nextInt(4) == 0 ? innerList(random) : item(random));
      }
      String text = StructuredWriter.list(members);
      assertEquals(members, StructuredParser.list(latin(text)), text);
      Map<String, Member> dictionary = new LinkedHashMap<>();
      members.forEach(member -> dictionary.put(key(random), member));
      String written = StructuredWriter.dictionary(dictionary);
      assertEquals(dictionary, StructuredParser.dictionary(latin(written)), written);
    }
  }

  private static InnerList innerList(Random random) {
    List<Item> items = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      items.add(item(random));
    }
    return new InnerList(items, parameters(random));
  }

  private static Item item(Random random) {
    return new Item(bare(random), parameters(random));
  }

  private static Parameters parameters(Random random) {
    Map<String, BareItem> values = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      values.put(key(random), bare(random));
    }
    return new Parameters(values);
  }

  private static String key(Random random) {
    return "*" + Integer.toString(random.nextInt(1000), 36);
  }

  private static BareItem bare(Random random) {
    byte[] bytes = new byte[random.nextInt(6)];
    random.nextBytes(bytes);
    return switch (random.nextInt(8)) {
      case 0 -> new BareItem.Int(random.nextLong(-BareItem.MOST, BareItem.MOST + 1));
      case 1 -> new BareItem.Decimal(BigDecimal.valueOf(random.nextLong(-BareItem.MOST, 1), 3));
      case 2 -> new BareItem.Text("\"\\ ~".repeat(random.nextInt(3)));
      case 3 -> new BareItem.Token("T" + key(random));
      case 4 -> BareItem.Bytes.of(bytes);
      case 5 -> new BareItem.Bool(random.nextBoolean());
      case 6 -> new BareItem.Date(random.nextInt());
      default -> new BareItem.Display("%\"\u00fc\ud83d\ude00\n".substring(random.nextInt(4)));
    };
  }
}
