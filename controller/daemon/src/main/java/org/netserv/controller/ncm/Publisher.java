// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import java.security.PublicKey;
import java.util.List;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** A publisher as policy knows it. */
public interface Publisher {

  String name();

  /** Decides about its container's uid, queue and network; given once. */
  int index();

  /** A message is its own if any of them verifies it. */
  List<PublicKey> keys();

  boolean revoked();

  /** Whether messages of the paper's form are admitted: no digest, no freshness. */
  boolean legacy();

  /** SETUPs a minute, more than 0. */
  int setupsPerMinute();

  /** Modules at a time. */
  int maxModules();

  /** Memory of its container, MiB. */
  int memory();

  /** Processor time of its container, percent of one core. */
  int cpu();

  /**
   * May it do that, here? Pure.
   *
   * @return the filters it is granted
   * @throws NcmException the refusal
   */
  List<FlowFilter> authorise(Ncm ncm) throws NcmException;

  /**
   * Whether a flow toward that address may be started for it: one that it may filter.
   *
   * @param copies whether it asks for copies or counts of packets only
   */
  boolean mayReach(InetAddress address, boolean copies);

  /** Whether strangers may learn that its modules run. */
  boolean publicModules();

  /** What it is granted, one printable line each, in coarse terms. */
  List<String> grants();
}
