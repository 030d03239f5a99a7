// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmRules;
import org.netserv.ncm.TakenPort;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/**
 * Asks the policy's questions about a message, in order. The first no is the refusal. A filter is
 * granted whole or not at all, so that a publisher learns of the forbidden part rather than getting
 * less than it believes. Only an absent filter-prefix is filled in, with the publisher's own
 * prefixes.
 */
final class Authoriser {
  private final PublisherPolicy publisher;
  private final NodePolicy node;
  private final Ncm ncm;
  private final List<DecisionStep> steps = new ArrayList<>();

  Authoriser(PublisherPolicy publisher, NodePolicy node, Ncm ncm) {
    this.publisher = publisher;
    this.node = node;
    this.ncm = ncm;
  }

  Decision decide() {
    try {
      askPublisher();
      askForm();
      if (ncm.method() != Method.SETUP) {
        return Decision.granted(List.of(), steps);
      }
      askTrust();
      List<FlowFilter> takes = takes();
      if (!asksForPackets()) {
        yes("does it ask for packets?", "no, it is a server module", "no filter header");
        return Decision.granted(takes, steps);
      }
      askLookingOn();
      List<PortRule> selectors = selectors();
      List<Prefix> prefixes = prefixes();
      List<FlowFilter> filters = filters(selectors, prefixes);
      if (filters.isEmpty()) { // only a program can have left nothing of it
        throw no(
            "which of these can match?",
            Header.FILTER_MATCH,
            "no packet to " + prefixes,
            "families");
      }
      filters.addAll(takes);
      return Decision.granted(filters, steps);
    } catch (NcmException e) {
      return Decision.refused(e, steps);
    }
  }

  private void askPublisher() throws NcmException {
    String question = "is it a message of " + publisher.name() + "?";
    if (!ncm.user().orElse("").equals(publisher.name())) {
      throw no(
          question,
          Header.USER,
          "not a message of " + publisher.name(),
          "the publisher is the user");
    }
    yes(question, "yes", "the publisher is the user");
    question = "is " + publisher.name() + " admitted here?";
    if (publisher.revoked()) {
      throw no(
          question, Header.USER, publisher.name() + " is revoked on this node", "revoked: true");
    }
    yes(question, "yes", "revoked: false");
  }

  private void askForm() throws NcmException {
    String question = "does it have the headers a " + ncm.method() + " needs?";
    String rule = "legacy: " + publisher.legacy();
    try {
      NcmRules.check(ncm, publisher.legacy());
    } catch (NcmException e) {
      steps.add(new DecisionStep(question, "no: " + e.getMessage(), rule));
      throw e;
    }
    yes(question, "yes", rule);
  }

  private void askTrust() throws NcmException {
    String question = "can anybody vouch for its bundles?";
    List<Anchor> anchors = node.anchorsOf(publisher);
    if (anchors.isEmpty()) {
      throw no(
          question,
          Header.USER,
          "this node has no trust anchor for its bundles",
          "anchors.d is empty");
    }
    String names = anchors.stream().map(Anchor::name).collect(Collectors.joining(", "));
    yes(question, names, publisher.signers().isEmpty() ? "every anchor of the node" : "signers");
  }

  /** Returns the filters of the connections that it wants to take. */
  private List<FlowFilter> takes() throws NcmException {
    List<FlowFilter> takes = new ArrayList<>();
    for (TakenPort port : ncm.takenPorts()) {
      List<Prefix> granted =
          publisher.take().stream()
              .filter(rule -> rule.ports().first() == port.port())
              .filter(rule -> rule.portInside() == port.inside())
              .map(ConnectRule::prefix)
              .toList();
      List<Prefix> asked = ncm.filterPrefixes().orElse(granted);
      if (asked.isEmpty()) {
        throw noTake("may it take port " + port + "?", port, "any of its prefixes");
      }
      for (Prefix prefix : asked) {
        String question = "may it take connections to " + prefix + " port " + port + "?";
        if (granted.stream().noneMatch(own -> own.contains(prefix))) {
          throw noTake(question, port, prefix.toString());
        }
        yes(question, "yes", "take");
        takes.add(FlowFilter.take(prefix, port.port(), port.inside()));
      }
    }
    return takes;
  }

  private NcmException noTake(String question, TakenPort port, String where) {
    String rules = "take: " + publisher.take();
    return no(question, Header.TAKE, port + " of " + where + " is not granted: " + rules, rules);
  }

  private boolean asksForPackets() {
    return ncm.has(Header.FILTER_PORT)
        || ncm.has(Header.FILTER_PROTO)
        || (ncm.has(Header.FILTER_PREFIX) && !ncm.has(Header.TAKE))
        || ncm.has(Header.FILTER_SAMPLE)
        || ncm.has(Header.FILTER_MATCH)
        || ncm.has(Header.FILTER_COUNT);
  }

  private void askLookingOn() throws NcmException {
    if (!ncm.looksOn()) {
      return;
    }
    boolean copies = ncm.has(Header.FILTER_SAMPLE);
    String question = copies ? "may it have copies of packets?" : "may it have packets counted?";
    String rule = "grants: " + grants();
    if (!publisher.has(Grant.MONITOR)) {
      throw no(
          question,
          copies ? Header.FILTER_SAMPLE : Header.FILTER_COUNT,
          "needs the grant monitor",
          rule);
    }
    yes(question, "yes", rule);
  }

  /**
   * Returns each requested protocol with each requested port range. All of them must be permitted.
   */
  private List<PortRule> selectors() throws NcmException {
    List<Integer> protocols = ncm.filterProtos().isEmpty() ? List.of(0) : ncm.filterProtos();
    List<PortRange> ranges =
        ncm.filterPorts().isEmpty() ? Collections.singletonList(null) : ncm.filterPorts();
    List<PortRule> selectors = new ArrayList<>();
    for (int protocol : protocols) {
      for (PortRange range : ranges) {
        PortRule selector = new PortRule(protocol, range);
        askSelector(selector);
        selectors.add(selector);
      }
    }
    return selectors;
  }

  private void askSelector(PortRule selector) throws NcmException {
    String what =
        selector.protocol() != 0
                && Protocols.hasPorts(selector.protocol())
                && selector.ports() == null
            ? selector + " (all its ports)"
            : selector.toString();
    String question = "may it filter " + what + "?";
    for (PortRule rule : publisher.ports()) {
      if (rule.permits(selector.protocol(), selector.ports())) {
        yes(question, "yes", "ports: " + rule);
        return;
      }
    }
    boolean known =
        publisher.ports().stream()
            .anyMatch(rule -> rule.protocol() == 0 || rule.protocol() == selector.protocol());
    Header header = known && ncm.has(Header.FILTER_PORT) ? Header.FILTER_PORT : Header.FILTER_PROTO;
    throw no(
        question, header, what + " is not among the ports granted: " + publisher.ports(), "ports");
  }

  private List<Prefix> prefixes() throws NcmException {
    List<Prefix> own = publisher.prefixes();
    if (ncm.filterPrefixes().isEmpty()) {
      String question = "to which destinations?";
      if (own.isEmpty()) {
        throw no(
            question,
            Header.FILTER_PREFIX,
            publisher.name() + " has no proven prefixes on this node",
            "prefixes: []");
      }
      yes(question, own.toString(), "no filter-prefix: the publisher's proven prefixes, never any");
      return own;
    }
    List<Prefix> asked = ncm.filterPrefixes().get();
    for (Prefix prefix : asked) {
      askPrefix(prefix);
    }
    return asked;
  }

  private void askPrefix(Prefix asked) throws NcmException {
    String question = "may it filter packets to " + asked + "?";
    for (Prefix own : publisher.prefixes()) {
      if (own.contains(asked)) {
        yes(question, "yes", "prefixes: " + own);
        return;
      }
    }
    if (ncm.looksOn() && publisher.has(Grant.MONITOR_ANY)) {
      String answer = ncm.has(Header.FILTER_SAMPLE) ? "copies only" : "counted only";
      yes(question, answer, "grants: " + Grant.MONITOR_ANY.text());
      return;
    }
    throw no(
        question,
        Header.FILTER_PREFIX,
        asked
            + " is not within the proven prefixes of "
            + publisher.name()
            + ": "
            + publisher.prefixes(),
        "prefixes");
  }

  private List<FlowFilter> filters(List<PortRule> selectors, List<Prefix> prefixes) {
    int sample = ncm.filterSample().orElse(0);
    List<FlowFilter> filters = new ArrayList<>();
    for (Prefix prefix : prefixes) {
      String match = ncm.filterMatch().flatMap(m -> m.bytecode(prefix.family())).orElse(null);
      if (match == null && ncm.has(Header.FILTER_MATCH)) {
        continue; // no packet of that family can match
      }
      for (PortRule selector : selectors) {
        filters.add(
            new FlowFilter(
                prefix.family(),
                selector.protocol(),
                null,
                prefix,
                null,
                selector.ports(),
                sample,
                false,
                match,
                ncm.filterCount().orElse(null),
                0));
      }
    }
    return filters;
  }

  private String grants() {
    return publisher.grants().stream()
        .map(Grant::text)
        .sorted()
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private void yes(String question, String answer, String rule) {
    steps.add(new DecisionStep(question, answer, rule));
  }

  private NcmException no(String question, Header header, String reason, String rule) {
    steps.add(new DecisionStep(question, "no", rule));
    return new NcmException(NcmException.FORBIDDEN, header, reason);
  }
}
