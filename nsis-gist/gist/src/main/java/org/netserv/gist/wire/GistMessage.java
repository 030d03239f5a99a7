// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;
import java.util.Optional;

/** A message: header and objects in the order of the wire. */
public record GistMessage(CommonHeader header, List<GistObject> objects) {
  public GistMessage {
    objects = List.copyOf(objects);
  }

  public MessageType type() {
    return header.type();
  }

  /** The object of that class, if there is one. */
  public <T extends GistObject> Optional<T> find(Class<T> kind) {
    for (GistObject object : objects) {
      if (kind.isInstance(object)) {
        return Optional.of(kind.cast(object));
      }
    }
    return Optional.empty();
  }
}
