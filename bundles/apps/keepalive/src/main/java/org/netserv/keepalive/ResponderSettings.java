// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.module.ModuleProperties;
import org.netserv.sip.Ascii;
import org.netserv.sip.IpLiteral;
import org.netserv.sip.SipError;
import org.netserv.sip.SipHost;

/**
 * The properties about packets, checked.
 *
 * @param passEvery each n-th keep-alive of an agent travels on; 0 = none
 * @param silentAfter so many unanswered ones in a row and everything travels on; 0 = never
 * @param maxAgents agents remembered at once, a power of two
 * @param stun whether binding requests are answered
 * @param offload seconds for which a flow that is not SIP goes past the module; 0 = never
 * @param keep seconds that the server recommends to agents by RFC 6223; 0 = it has said nothing
 * @param kernel seconds for which the kernel answers an agent by a template; 0 = never
 * @param allow the Allow header's methods, empty = no Allow
 * @param names host names the server has, in lower case
 * @param addresses addresses the server has; with no name either: the packet's destination
 */
record ResponderSettings(
    int passEvery,
    int silentAfter,
    int maxAgents,
    boolean stun,
    int offload,
    int keep,
    int kernel,
    String allow,
    List<String> names,
    List<IpLiteral> addresses) {
  static final String PASS_EVERY = "pass-every";
  static final String SILENT_AFTER = "silent-after";
  static final String MAX_AGENTS = "max-agents";
  static final String STUN = "stun";
  static final String OFFLOAD = "offload";
  static final String KEEP = "keep";
  static final String KERNEL = "kernel";
  static final String ALLOW = "allow";
  static final String SERVER = "server";

  private static final String ALLOW_DEFAULT = "INVITE ACK CANCEL BYE OPTIONS REGISTER NOTIFY";
  private static final int KEEP_MOST = 86_400;
  private static final int KERNEL_DEFAULT = 300;
  private static final int KERNEL_MOST = 3600;
  private static final int AGENTS_LEAST = 8;
  private static final int AGENTS_MOST = 1 << 22;

  /**
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static ResponderSettings of(Map<String, ?> properties) {
    ModuleProperties settings = new ModuleProperties(properties);
    List<String> names = new ArrayList<>();
    List<IpLiteral> addresses = new ArrayList<>();
    for (String server : settings.list(SERVER, "")) {
      server(server, names, addresses);
    }
    int agents = settings.number(MAX_AGENTS, 1 << 16, AGENTS_LEAST, AGENTS_MOST);
    return new ResponderSettings(
        settings.number(PASS_EVERY, 20, 0, 1_000_000),
        settings.number(SILENT_AFTER, 8, 0, 1_000_000),
        Integer.highestOneBit(2 * agents - 1),
        settings.onOff(STUN, true),
        settings.number(OFFLOAD, 10, 0, 300),
        settings.number(KEEP, 0, 0, KEEP_MOST),
        settings.number(KERNEL, KERNEL_DEFAULT, 0, KERNEL_MOST),
        methods(settings.list(ALLOW, ALLOW_DEFAULT)),
        List.copyOf(names),
        List.copyOf(addresses));
  }

  private static String methods(List<String> methods) {
    for (String method : methods) {
      ByteBuffer bytes = ByteBuffer.wrap(method.getBytes(StandardCharsets.UTF_8));
      if (Ascii.skipToken(bytes, 0, bytes.limit()) != bytes.limit()) {
        throw new IllegalArgumentException(ALLOW + ": not a method: " + method);
      }
    }
    return String.join(", ", methods);
  }

  private static void server(String text, List<String> names, List<IpLiteral> addresses) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    IpLiteral literal = new IpLiteral();
    literal.reset(bytes, 0, bytes.limit());
    if (literal.family() != 0) {
      addresses.add(literal);
      return;
    }
    SipHost host = new SipHost();
    if (host.reset(bytes, 0, bytes.limit()) != SipError.OK || host.hostEnd() != bytes.limit()) {
      throw new IllegalArgumentException(SERVER + ": not a host name or address: " + text);
    }
    names.add(text.toLowerCase(Locale.ROOT));
  }
}
