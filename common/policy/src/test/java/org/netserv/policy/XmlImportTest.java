// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XmlImportTest {
  private static final Path FILE = Path.of("policy.xml");
  private static final String KEY = "<key>" + Etc.line(Etc.KEY) + "</key>";
  private static final String GOOD =
      "<?xml version=\"1.0\"?>\n<policies>\n<!-- one -->\n<publisher name=\"alice\">"
          + KEY
          + "<prefix>192.0.2.0/24</prefix><port proto=\"udp\">5060-5061</port><port proto=\"icmp\"/>"
          + "<connect>udp/198.51.100.1/32/9000</connect><listen>tcp/192.0.2.1/32/80</listen>"
          + "<grant>monitor</grant></publisher>\n</policies>\n";

  @TempDir private Path dir;

  private static List<PublisherDraft> read(String xml) throws PolicyException {
    return XmlImport.read(FILE, xml.getBytes(StandardCharsets.UTF_8));
  }

  private static PolicyException refused(String xml) {
    return assertThrows(PolicyException.class, () -> read(xml));
  }

  @Test
  void importsAndWritesWhatItRead() throws Exception {
    PublisherDraft draft = read(GOOD).get(0);
    assertEquals("[udp/5060-5061, icmp]", draft.ports().toString());
    new PolicyWriter(dir).addPublisher(draft, false);
    PublisherPolicy alice = NodePolicy.load(dir).publisher("alice").orElseThrow();
    assertEquals(draft.keys(), alice.keys());
    assertEquals(draft.prefixes(), alice.prefixes());
    assertEquals(draft.ports(), alice.ports());
    assertEquals(draft.connect(), alice.connect());
    assertEquals("[tcp/192.0.2.1/32/80]", alice.listen().toString());
    assertFalse(alice.operator());
    assertEquals(draft.grants(), alice.grants());
  }

  @Test
  void externalEntitiesAreRefused() throws Exception {
    Path secret = dir.resolve("secret");
    Files.writeString(secret, "192.0.2.0/24");
    String head = "<!DOCTYPE policies [<!ENTITY x SYSTEM \"" + secret.toUri() + "\">]>";
    PolicyException e =
        refused(
            head
                + "<policies><publisher name='a'>"
                + KEY
                + "<prefix>&x;</prefix></publisher></policies>");
    assertFalse(e.getMessage().contains("192.0.2"), e.getMessage());
    String laughs = "<!DOCTYPE p [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>";
    refused(laughs + "<policies><publisher name='&b;'>" + KEY + "</publisher></policies>");
    refused(
        "<!DOCTYPE policies SYSTEM 'http://127.0.0.1/x.dtd'>"
            + GOOD.substring(GOOD.indexOf("<policies>")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<other/> | the root element is not policies",
        "<policies><other/></policies> | unknown element other",
        "<policies>text</policies> | text between elements",
        "<policies x='1'/> | unknown attribute x",
        "<policies><publisher/></policies> | a publisher's name is",
        "<policies><publisher name='../a'/></policies> | a publisher's name is",
        "<policies><publisher name='a'/></policies> | publisher a has no key",
        "<policies><publisher name='a'><key>x</key></publisher></policies> | key: ",
        "<policies><publisher name='a'><prefix>x</prefix></publisher></policies> | prefix: not an IP address",
        "<policies><publisher name='a'><port>5060</port></publisher></policies> | port: the attribute proto is missing",
        "<policies><publisher name='a'><port proto='udp'>0</port></publisher></policies> | port: not a port",
        "<policies><publisher name='a'><grant>all</grant></publisher></policies> | grant: not a grant",
        "<policies><publisher name='a'><quota>1</quota></publisher></policies> | unknown element quota",
        "<policies> | not XML of this form",
        "nothing | not XML of this form",
      })
  void refuses(String xml, String reason) {
    PolicyException e = refused(xml);
    assertTrue(e.reason().startsWith(reason), e.reason());
    assertEquals(1, e.line());
  }

  @Test
  void refusesTheSamePublisherTwice() {
    String publisher = "<publisher name='a'>" + KEY + "</publisher>";
    assertEquals(
        "a second publisher a",
        refused("<policies>" + publisher + publisher + "</policies>").reason());
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] good = GOOD.strip().getBytes(StandardCharsets.UTF_8);
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThrows(PolicyException.class, () -> XmlImport.read(FILE, cut));
    }
  }
}
