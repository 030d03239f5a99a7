// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A second opinion on a reply: RFC 3261, 8.2.6, checked with regular expressions and none of the
 * code under test.
 */
final class StrictReply {
  private static final Map<String, String> COMPACT =
      Map.of(
          "v", "via", "f", "from", "t", "to", "i", "call-id", "l", "content-length", "o", "event");
  private static final Pattern LINE = Pattern.compile("([A-Za-z-]+)[ \\t]*:[ \\t]*((?s:.*))");

  final String request;
  final String reply;

  StrictReply(String request, String reply) {
    this.request = request;
    this.reply = reply;
    check();
  }

  private void check() {
    assertTrue(reply.startsWith("SIP/2.0 200 OK\r\n"), reply);
    assertTrue(reply.endsWith("\r\n\r\n"), reply);
    assertEquals(-1, reply.replace("\r\n", "").indexOf('\r'));
    assertEquals(-1, reply.replace("\r\n", "").indexOf('\n'));
    for (String name : new String[] {"from", "call-id", "cseq"}) {
      assertEquals(values(request, name), values(reply, name), name);
    }
    assertEquals(List.of("0"), values(reply, "content-length"));
    String to = values(reply, "to").get(0);
    assertEquals(1, values(reply, "to").size());
    Matcher tag = Pattern.compile(";tag=[0-9a-f]{16}$").matcher(to);
    assertTrue(tag.find(), to);
    assertEquals(values(request, "to").get(0), to.substring(0, tag.start()));
    List<String> asked = vias(request);
    List<String> answered = vias(reply);
    assertEquals(asked.size(), answered.size());
    assertEquals(asked.subList(1, asked.size()), answered.subList(1, answered.size()));
    assertEquals(bare(asked.get(0)), bare(answered.get(0)));
  }

  String topVia() {
    return vias(reply).get(0);
  }

  String tag() {
    String to = values(reply, "to").get(0);
    return to.substring(to.lastIndexOf('=') + 1);
  }

  boolean has(String name) {
    return !values(reply, name).isEmpty();
  }

  /** Removes from a via-parm the parameters that the server may fill in. */
  private static String bare(String via) {
    return via.replaceAll("(?i)[;]\\s*(rport|received|keep)\\s*(=\\s*[^;,\\s]*)?", "").strip();
  }

  private static List<String> vias(String message) {
    List<String> all = new ArrayList<>();
    for (String value : values(message, "via")) {
      all.addAll(List.of(value.split("\\s*,\\s*")));
    }
    return all;
  }

  private static List<String> values(String message, String name) {
    List<String> found = new ArrayList<>();
    String head = message.substring(0, message.indexOf("\r\n\r\n"));
    String[] lines = head.split("\r\n(?![ \t])", -1);
    for (int i = 1; i < lines.length; i++) {
      Matcher line = LINE.matcher(lines[i]);
      assertTrue(line.matches(), lines[i]);
      String key = line.group(1).toLowerCase(Locale.ROOT);
      if (COMPACT.getOrDefault(key, key).equals(name)) {
        found.add(line.group(2).strip());
      }
    }
    return found;
  }
}
