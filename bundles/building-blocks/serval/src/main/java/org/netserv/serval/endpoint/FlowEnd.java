// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

/** The reason for which a flow is closed. */
public enum FlowEnd {
  /** This program has closed it, or a stream first. */
  OWN,
  /** The peer has closed it, or a stream first. */
  PEER,
  /** The peer has broken it off, or does not know it. */
  RESET,
  /** The peer, or every instance of the service, does not answer. */
  SILENT
}
