// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.fastpath.Counting;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.module.ModuleOrder;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;

/**
 * Turns accepted messages into orders. This happens at their acceptance, and again from the log
 * after a restart or a change of policy.
 */
public final class OrderFactory {
  private final Publishers publishers;
  private final Unsealer unsealer;
  private final Counting counting;

  /** Opens the header {@code sealed}. */
  public interface Unsealer {
    /**
     * Opens the header with this node's key.
     *
     * @throws NcmException naming the header, when it is not for this node or cannot be read
     */
    Map<String, String> open(String text) throws NcmException;
  }

  public OrderFactory(Publishers publishers, Unsealer unsealer, Counting counting) {
    this.publishers = publishers;
    this.unsealer = unsealer;
    this.counting = counting;
  }

  /**
   * Makes the order for a message that policy has granted these filters.
   *
   * @param since wall clock of the module's oldest claim
   */
  ModuleOrder order(Ncm ncm, List<FlowFilter> filters, long since) throws NcmException {
    Map<String, String> properties = new LinkedHashMap<>(ncm.properties());
    if (ncm.sealedProperties().isPresent()) {
      properties.putAll(unsealer.open(ncm.sealedProperties().get()));
    }
    // The node's word counts, whatever the message says.
    properties.keySet().removeIf(name -> name.startsWith(Publisher.NODE_PROPERTIES));
    publishers
        .find(NcmAdmission.key(ncm).user())
        .ifPresent(publisher -> properties.putAll(publisher.properties()));
    return new ModuleOrder(
        NcmAdmission.key(ncm),
        ncm.version(),
        ncm.digest(),
        ncm.get(Header.URL),
        properties,
        counting.settle(NcmAdmission.key(ncm), filters),
        since,
        ncm.notification().map(Object::toString));
  }

  /**
   * Makes the order of a version in the log, as present policy grants it.
   *
   * @throws NcmException when policy does not grant it any more, or this build cannot read it
   */
  public ModuleOrder restore(DesiredModule module, StateImage.Version version) throws NcmException {
    ModuleOrder order = granted(message(version), module.key(), module.since());
    // The digest of a legacy bundle is known since it was fetched.
    return order.sha256().isPresent() || version.sha256() == null
        ? order
        : new ModuleOrder(
            order.key(),
            order.version(),
            Optional.of(version.sha256()),
            order.url(),
            order.properties(),
            order.filters(),
            order.since(),
            order.notification());
  }

  /**
   * Makes the order of a fetched bundle in the log, as present policy grants it.
   *
   * @throws NcmException when policy does not grant it any more, or this build cannot read it
   */
  public ModuleOrder restore(FetchedBundle bundle) throws NcmException {
    return granted(message(bundle.tlv()), bundle.key(), bundle.since());
  }

  private ModuleOrder granted(Ncm ncm, ModuleKey key, long since) throws NcmException {
    Optional<Publisher> publisher = publishers.find(key.user()).filter(p -> !p.revoked());
    if (publisher.isEmpty()) {
      throw new NcmException(403, Header.USER, "the publisher has been revoked");
    }
    return order(ncm, publisher.get().authorise(ncm), since);
  }

  /** Returns the message of a version in the log. */
  public static Ncm message(StateImage.Version version) throws NcmException {
    return message(version.tlv());
  }

  /** Returns a message in the log. */
  public static Ncm message(String tlv) throws NcmException {
    return NcmBinary.decode(Base64.getDecoder().decode(tlv));
  }
}
