// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.EnumSet;
import java.util.Set;
import org.netserv.values.Protocols;

/**
 * Do the headers of a message suit its method and each other? Pure: the same message gets the same
 * answer on every node. The checks are in a fixed order and the first that fails is the refusal.
 */
public final class NcmRules {
  private static final Set<Header> LEGACY_SETUP =
      EnumSet.of(Header.TTL, Header.URL, Header.USER, Header.SIGNATURE);
  private static final Set<Header> LEGACY_REMOVE = EnumSet.of(Header.USER, Header.SIGNATURE);
  private static final Set<Header> LEGACY_PROBE = EnumSet.of(Header.PROBE);

  private NcmRules() {}

  /**
   * Checks a message.
   *
   * @param legacyAllowed true when the policy admits messages of the paper's form (protocol 0.1: no
   *     digest, no freshness) for this message's publisher; without it a message of protocol 0.1
   *     must have all that one of 1.0 has
   * @throws NcmException 400 naming the missing or misplaced header, 403 for an empty filter-prefix
   */
  public static void check(Ncm ncm, boolean legacyAllowed) throws NcmException {
    boolean legacy = legacyAllowed && ncm.protocol().equals(Ncm.LEGACY);
    requireAllowed(ncm);
    requireMandatory(ncm, legacy);
    requireName(ncm);
    requireTogether(ncm, legacy);
    requireFilter(ncm);
  }

  private static void requireName(Ncm ncm) throws NcmException {
    if (ncm.method() == Method.SETUP && ncm.name().equals(ModuleName.ALL)) {
      throw NcmException.bad("request line: SETUP needs the name of a module");
    }
    if (ncm.has(Header.REVOKE) && !ncm.name().equals(ModuleName.ALL)) {
      throw NcmException.bad(Header.REVOKE, "is about all modules: the request line needs *");
    }
    if (ncm.probes().contains(ProbeKind.MODULE) && ncm.name().equals(ModuleName.ALL)) {
      throw NcmException.bad(Header.PROBE, "module needs a name in the request line");
    }
  }

  private static void requireAllowed(Ncm ncm) throws NcmException {
    for (Header header : ncm.headers().keySet()) {
      if (!header.allowedIn(ncm.method())) {
        throw NcmException.bad(header, "has no meaning in " + ncm.method());
      }
    }
  }

  private static void requireMandatory(Ncm ncm, boolean legacy) throws NcmException {
    for (Header header : Header.values()) {
      boolean mandatory =
          legacy
              ? legacyMandatory(ncm.method()).contains(header)
              : header.mandatoryIn(ncm.method());
      if (mandatory && !ncm.has(header)) {
        throw NcmException.bad(header, "missing, " + ncm.method() + " needs it");
      }
    }
  }

  private static Set<Header> legacyMandatory(Method method) {
    return switch (method) {
      case SETUP -> LEGACY_SETUP;
      case REMOVE -> LEGACY_REMOVE;
      case PROBE -> LEGACY_PROBE;
    };
  }

  /**
   * A PROBE is a stranger's, with none of these, or a publisher's, with all: a signature without
   * freshness is a recording.
   */
  private static void requireTogether(Ncm ncm, boolean legacy) throws NcmException {
    requireBoth(ncm, Header.USER, Header.SIGNATURE);
    requireBoth(ncm, Header.SIGNATURE, Header.USER);
    requireBoth(ncm, Header.DELEGATION, Header.USER);
    for (Header header : new Header[] {Header.DELEGATION, Header.ACTIVATE, Header.TAKE}) {
      if (ncm.has(header) && !ncm.protocol().equals(Ncm.CURRENT)) {
        throw NcmException.bad(header, "needs protocol " + Ncm.CURRENT);
      }
    }
    if (ncm.has(Header.USER) && !legacy) {
      for (Header header : new Header[] {Header.DATE, Header.NONCE, Header.TO}) {
        requireBoth(ncm, Header.USER, header);
      }
    }
  }

  private static void requireBoth(Ncm ncm, Header one, Header other) throws NcmException {
    if (ncm.has(one) && !ncm.has(other)) {
      throw NcmException.bad(other, "missing, " + one + " needs it");
    }
  }

  private static void requireFilter(Ncm ncm) throws NcmException {
    if (ncm.has(Header.FILTER_PORT)
        && (ncm.filterProtos().isEmpty()
            || !ncm.filterProtos().stream().allMatch(Protocols::hasPorts))) {
      throw NcmException.bad(
          Header.FILTER_PORT, "needs a filter-proto of protocols that have ports");
    }
    if (ncm.filterPrefixes().map(prefixes -> prefixes.isEmpty()).orElse(false)) {
      throw new NcmException(
          NcmException.FORBIDDEN, Header.FILTER_PREFIX, "empty: there is nothing to intercept");
    }
    if (ncm.has(Header.FILTER_COUNT) && ncm.has(Header.FILTER_MATCH)) {
      throw NcmException.bad(
          Header.FILTER_COUNT, "not with filter-match: what counts runs no programs of others");
    }
  }
}
