// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.List;
import java.util.Optional;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.NcmException;

/**
 * The policy's decision about a message: the filters it grants, or a refusal. The steps give the
 * reasons.
 *
 * @param filters granted; empty for a refusal and for a server module, which asks for none
 * @param refusal empty = granted
 */
public record Decision(
    List<FlowFilter> filters, Optional<NcmException> refusal, List<DecisionStep> steps) {

  public Decision {
    filters = List.copyOf(filters);
    steps = List.copyOf(steps);
  }

  static Decision granted(List<FlowFilter> filters, List<DecisionStep> steps) {
    return new Decision(filters, Optional.empty(), steps);
  }

  static Decision refused(NcmException refusal, List<DecisionStep> steps) {
    return new Decision(List.of(), Optional.of(refusal), steps);
  }

  public boolean granted() {
    return refusal.isEmpty();
  }

  /** 200 for a granted message, else the refusal's NCM status. */
  public int status() {
    return refusal.map(NcmException::status).orElse(200);
  }

  /** Returns the header that caused the refusal. */
  public Optional<Header> header() {
    return refusal.flatMap(NcmException::header);
  }

  /** Returns the reason of the refusal; empty when granted. */
  public String reason() {
    return refusal.map(NcmException::reason).orElse("");
  }
}
