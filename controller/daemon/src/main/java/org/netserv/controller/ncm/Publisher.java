// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import java.security.PublicKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** A publisher as policy knows it. */
public interface Publisher {
  /** The beginning of the names of properties that only the node gives. */
  String NODE_PROPERTIES = "netserv.";

  String name();

  /**
   * Returns the index that decides about its container's uid, queue and network. It is given once.
   */
  int index();

  /** Returns its keys. A message is its own if any of them verifies it. */
  List<PublicKey> keys();

  boolean revoked();

  /**
   * Returns true if messages of the paper's form are admitted, which have no digest and no
   * freshness.
   */
  boolean legacy();

  /** Returns the SETUPs a minute, more than 0. */
  int setupsPerMinute();

  /** Returns the modules at a time. */
  int maxModules();

  /** Returns the memory of its container, MiB. */
  int memory();

  /** Returns the processor time of its container, percent of one core. */
  int cpu();

  /**
   * Decides whether the publisher may do that here. Pure.
   *
   * @return the filters it is granted
   * @throws NcmException the refusal
   */
  List<FlowFilter> authorise(Ncm ncm) throws NcmException;

  /**
   * Returns true if a flow toward that address may be started for it, because it may filter that
   * address.
   *
   * @param copies whether it asks for copies or counts of packets only
   */
  boolean mayReach(InetAddress address, boolean copies);

  /** Returns true if strangers may learn that its modules run. */
  boolean publicModules();

  /**
   * Returns the properties that each of its modules gets beside its own: {@code netserv.listen} and
   * {@code netserv.connect}, by which a server learns at which addresses the network reaches it.
   * Empty without such a grant.
   */
  Map<String, String> properties();

  /** Returns the rules for its delegates; empty if this node takes none of them. */
  Optional<DelegationGrant> delegation();

  /** Returns its grants in coarse terms, one printable line each. */
  List<String> grants();
}
