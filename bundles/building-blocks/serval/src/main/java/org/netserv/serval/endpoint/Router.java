// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.registration.SigningKey;

/**
 * The service router of an endpoint.
 *
 * @param id the serviceID to which registrations go
 * @param address of its UDP socket
 * @param key signs registrations; null for those of the published stack
 */
public record Router(ServiceId id, Endpoint address, SigningKey key) {
  /** The serviceID of the published stack's routers. */
  public static final ServiceId PUBLISHED = ServiceId.parse("00015b38");

  public Router(ServiceId id, Endpoint address) {
    this(id, address, null);
  }
}
