// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.PublicKey;
import java.util.List;
import java.util.Map;
import org.netserv.serval.ServicePrefix;

/** Decides whether a key may register a prefix, before any signature is verified. */
final class Rights {
  /** A key that may register any service of a prefix. */
  private record Owner(ServicePrefix prefix, KeyType type, ByteBuffer key) {
    private boolean owns(KeyType otherType, byte[] other, ServicePrefix within) {
      return type == otherType && prefix.covers(within) && key.equals(ByteBuffer.wrap(other));
    }
  }

  private final List<ServicePrefix> prefixes;
  private final List<Owner> owners;

  Rights(List<ServicePrefix> prefixes, Map<ServicePrefix, PublicKey> owners) {
    this.prefixes = List.copyOf(prefixes);
    this.owners =
        owners.entrySet().stream().map(each -> owner(each.getKey(), each.getValue())).toList();
  }

  private static Owner owner(ServicePrefix prefix, PublicKey key) {
    KeyType type = KeyType.of(key);
    return new Owner(prefix, type, ByteBuffer.wrap(type.bytes(key)));
  }

  /** Returns OK if the key of a message may register its prefix, if all signatures are right. */
  RegistrationRefusal check(RegisterMessage register, long seconds) {
    ServicePrefix prefix = register.prefix();
    if (prefixes.stream().noneMatch(each -> each.covers(prefix))) {
      return RegistrationRefusal.OUTSIDE;
    }
    KeyType type = register.keyType();
    if (type == null || !type.isKey(register.key())) {
      return RegistrationRefusal.KEY;
    }
    if (!register.tellsDelegation()) {
      return RegistrationRefusal.DELEGATION;
    }
    if (register.delegation() != null) {
      return check(register.delegation(), prefix, seconds);
    }
    return owns(type, register.key(), prefix)
        ? RegistrationRefusal.OK
        : RegistrationRefusal.NOT_OWNER;
  }

  private RegistrationRefusal check(Delegation delegation, ServicePrefix prefix, long seconds) {
    KeyType type = delegation.ownerType();
    ServicePrefix given = delegation.prefix();
    if (type == null || !type.isKey(delegation.owner()) || given == null || !given.covers(prefix)) {
      return RegistrationRefusal.DELEGATION;
    }
    if (delegation.until() <= seconds) {
      return RegistrationRefusal.DELEGATION_ENDED;
    }
    return owns(type, delegation.owner(), given)
        ? RegistrationRefusal.OK
        : RegistrationRefusal.NOT_OWNER;
  }

  private boolean owns(KeyType type, byte[] key, ServicePrefix prefix) {
    return owners.stream().anyMatch(each -> each.owns(type, key, prefix))
        || SigningKey.owns(type, key, prefix);
  }
}
