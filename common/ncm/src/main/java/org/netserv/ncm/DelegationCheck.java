// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.netserv.values.Prefix;

/**
 * Compares a message with the bounds of its delegation, in a fixed order. The first bound that does
 * not hold the message is the refusal. Pure: it reads no clock, and knows no policy.
 */
public final class DelegationCheck {
  /** Headers that a delegate never uses, because no bound could hold them. */
  private static final List<Header> NEVER =
      List.of(
          Header.FILTER_SAMPLE,
          Header.FILTER_COUNT,
          Header.NOTIFICATION,
          Header.SEALED,
          Header.REVOKE,
          Header.ACTIVATE,
          Header.TAKE);

  private final DelegationBounds bounds;
  private final Ncm ncm;

  private DelegationCheck(DelegationBounds bounds, Ncm ncm) {
    this.bounds = bounds;
    this.ncm = ncm;
  }

  /**
   * Refuses a message outside the bounds.
   *
   * @param source of the flow; empty for a message that came by no path
   * @param proven true if GIST has proved that the previous hop has the source's address
   * @throws NcmException 403 naming the header {@code delegation}, and the bound in the reason
   */
  public static void require(
      DelegationBounds bounds, Ncm ncm, Optional<InetAddress> source, boolean proven)
      throws NcmException {
    DelegationCheck check = new DelegationCheck(bounds, ncm);
    check.method();
    check.module();
    check.flow(source, proven);
    for (Header header : NEVER) {
      if (ncm.has(header)) {
        throw no(header.text() + " is the publisher's own");
      }
    }
    if (ncm.method() == Method.PROBE) {
      check.kinds();
    }
    if (ncm.method() == Method.SETUP) {
      check.setup();
    }
  }

  private void method() throws NcmException {
    if (!bounds.methods().contains(ncm.method())) {
      throw no(ncm.method() + " is not among its methods: " + bounds.get(Bound.METHODS));
    }
  }

  /** Requires a module of the list. A PROBE may be about no module. */
  private void module() throws NcmException {
    if (ncm.method() == Method.PROBE && ncm.name().equals(ModuleName.ALL)) {
      return;
    }
    List<DelegatedModule> named =
        bounds.modules().stream().filter(module -> module.name().equals(ncm.name())).toList();
    if (named.isEmpty()) {
      throw no("module " + ncm.name() + " is not among its modules");
    }
    if (ncm.method() == Method.SETUP
        && named.stream().noneMatch(module -> module.digest().equals(ncm.get(Header.DIGEST)))) {
      throw no("digest " + ncm.get(Header.DIGEST) + " is not one of " + ncm.name());
    }
  }

  private void flow(Optional<InetAddress> source, boolean proven) throws NcmException {
    InetAddress to = ncm.to().orElseThrow(() -> NcmException.bad(Header.TO, "missing"));
    if (!within(bounds.prefixes(Bound.TO), to)) {
      throw no("to " + ncm.get(Header.TO) + " is not within " + bounds.get(Bound.TO));
    }
    if (bounds.has(Bound.FROM)) {
      InetAddress from =
          source.orElseThrow(() -> no("from: a message that came by no path has no source"));
      if (!within(bounds.prefixes(Bound.FROM), from)) {
        throw no("from " + from.getHostAddress() + " is not within " + bounds.get(Bound.FROM));
      }
    }
    if (bounds.has(Bound.PROVEN) && !proven) {
      throw no("proven: the source of the flow is not the previous hop of this node");
    }
  }

  /** Requires kinds of information that are about the delegate's own module, or public. */
  private void kinds() throws NcmException {
    for (ProbeKind kind : ncm.probes()) {
      if (kind != ProbeKind.MODULE && kind != ProbeKind.NODE) {
        throw no("probe " + kind.text() + " is answered to the publisher alone");
      }
    }
  }

  private void setup() throws NcmException {
    String url = bounds.get(Bound.URL);
    String asked = ncm.get(Header.URL);
    if (asked == null || !(asked.equals(url) || (url.endsWith("/") && asked.startsWith(url)))) {
      throw no("url " + asked + " is not " + url + (url.endsWith("/") ? "..." : ""));
    }
    if (ncm.ttl().orElse(0) > bounds.maxTtl()) {
      throw no("ttl " + ncm.get(Header.TTL) + " is longer than " + bounds.maxTtl());
    }
    for (Bound bound : Bound.values()) {
      if (bound.setting().isPresent()) {
        setting(bound, bound.setting().get());
      }
    }
  }

  private void setting(Bound bound, Header header) throws NcmException {
    String asked = ncm.get(header);
    if (!Objects.equals(asked, bounds.get(bound))) {
      throw no(
          header.text() + " is " + named(asked) + ", and has to be " + named(bounds.get(bound)));
    }
  }

  private static String named(String value) {
    return value == null ? "absent" : value;
  }

  private static boolean within(List<Prefix> held, InetAddress address) {
    return held.stream().anyMatch(prefix -> prefix.contains(address));
  }

  private static NcmException no(String reason) {
    return new NcmException(NcmException.FORBIDDEN, Header.DELEGATION, reason);
  }
}
