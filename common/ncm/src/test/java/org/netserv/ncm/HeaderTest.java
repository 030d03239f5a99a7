// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HeaderTest {
  private static final Pattern REPEAT = Pattern.compile("\\((\\d+)\\*([^)]*)\\)");

  /**
   * For each header a group, in it each bad value of bad-values.txt: refused, with the header's
   * name and the reason.
   */
  @TestFactory
  Stream<DynamicContainer> badValues() throws IOException {
    List<String[]> cases = cases();
    return Arrays.stream(Header.values())
        .map(
            header ->
                DynamicContainer.dynamicContainer(
                    header.text(), badValues(header, cases).stream()));
  }

  private static List<DynamicTest> badValues(Header header, List<String[]> cases) {
    List<DynamicTest> tests =
        cases.stream()
            .filter(c -> c[0].equals(header.text()))
            .map(
                c ->
                    DynamicTest.dynamicTest(
                        "'" + c[1] + "'", () -> refuses(header, expand(c[1]), c[2])))
            .toList();
    assertTrue(tests.size() >= 4, header + " needs its bad values in bad-values.txt");
    return tests;
  }

  private static void refuses(Header header, String value, String reason) {
    Ncm.Builder builder = Messages.setup().set(header, value);
    NcmException built = assertThrows(NcmException.class, builder::build);
    assertBlames(header, reason, built);
    if (value.indexOf('\n') < 0) {
      String text = "SETUP a NETSERV/1.0\n" + header.text() + ":" + value + "\n\n";
      if (!value.endsWith("\r")) {
        assertBlames(header, reason, assertThrows(NcmException.class, () -> NcmText.parse(text)));
      }
    }
    if (header.kind() == ValueKind.TEXT) {
      byte[] tlvs =
          new Tlv.Writer()
              .put(1, new byte[] {1, 0})
              .put(2, new byte[] {1})
              .put(3, new byte[] {'a'})
              .put(header.type(), value.getBytes(StandardCharsets.UTF_8))
              .bytes();
      assertBlames(header, reason, assertThrows(NcmException.class, () -> NcmBinary.decode(tlvs)));
    }
  }

  private static void assertBlames(Header header, String reason, NcmException refusal) {
    assertEquals(400, refusal.status());
    assertSame(header, refusal.header().orElseThrow());
    assertTrue(refusal.getMessage().startsWith(header.text() + ": "), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    assertTrue(
        refusal.getMessage().chars().allMatch(c -> c >= 0x20 && c < 0x7f), refusal.getMessage());
  }

  @ParameterizedTest
  @EnumSource(Header.class)
  void controlCharactersAndHalfSurrogatesAreRefusedInEveryHeader(Header header) {
    for (String bad : new String[] {"\0", "\r", "\n", "\u001b", "\u007f", "\u0085", "\ud800"}) {
      NcmException refusal =
          assertThrows(NcmException.class, () -> header.canonical(Messages.good(header) + bad));
      assertSame(header, refusal.header().orElseThrow());
    }
  }

  @ParameterizedTest
  @EnumSource(Header.class)
  void aCanonicalValueIsItsOwnCanonicalValue(Header header) throws Exception {
    String canonical = header.canonical(Messages.good(header));
    assertEquals(canonical, header.canonical(canonical));
    assertEquals(canonical, header.kind().toText(header.kind().toBytes(canonical)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DEPENDENCIES|a;1,b;[1,2)|a;1.0.0,b;[1.0.0,2.0.0)",
        "DEPENDENCIES|a;0.0.0|a",
        "FILTER_PORT|5060-5060|5060",
        "FILTER_PROTO|6,17,200|tcp,udp,200",
        "FILTER_PREFIX|::FFFF:192.0.2.0/120,10.0.0.1|192.0.2.0/24,10.0.0.1/32",
        "PROPERTIES|a=b\\=c|a=b=c",
        "DIGEST|E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855|"
            + "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "TO|2001:0DB8:0:0:1:0:0:1|2001:db8::1:0:0:1",
        "TO|::ffff:c000:201|192.0.2.1",
        "SIGNATURE|AAE|AAE=",
        "SIGNATURE|AAF=|AAE=",
      })
  void oneMeaningHasOneText(Header header, String written, String canonical) throws NcmException {
    assertEquals(canonical, header.canonical(written));
  }

  @Test
  void typesAscendAndNamesAreFound() {
    int last = 0x0f;
    for (Header header : Header.values()) {
      assertTrue(header.type() > last, header.text());
      last = header.type();
      assertSame(header, Header.ofText(header.text()));
      assertSame(header, Header.ofType(header.type()));
    }
    assertEquals(0x7f, last);
  }

  @Test
  void mandatoryImpliesAllowed() {
    for (Header header : Header.values()) {
      for (Method method : Method.values()) {
        assertFalse(
            header.mandatoryIn(method) && !header.allowedIn(method), header + " in " + method);
      }
    }
  }

  private static List<String[]> cases() throws IOException {
    try (InputStream in = HeaderTest.class.getResourceAsStream("bad-values.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\\|", 3))
          .toList();
    }
  }

  private static String expand(String value) {
    Matcher repeat = REPEAT.matcher(value);
    String text =
        repeat.find()
            ? value.substring(0, repeat.start())
                + repeat.group(2).repeat(Integer.parseInt(repeat.group(1)))
                + value.substring(repeat.end())
            : value;
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        int escape = "0rnt\\".indexOf(text.charAt(++i));
        out.append("\0\r\n\t\\".charAt(escape));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
