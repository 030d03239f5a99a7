// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.ListCursor;
import org.netserv.http.RequestHead;
import org.netserv.http.cache.Invalidation;
import org.netserv.packet.Tally;

/**
 * The cache: its store, and the fetches on their way. Knows neither sockets nor a version of HTTP.
 * All calls come from one thread, the event loop.
 */
public final class Edge extends CacheTools {
  private final Map<Key, List<Fill>> pending = new HashMap<>();
  private final Set<Fill> fills = new LinkedHashSet<>();
  private final ListCursor list = new ListCursor();
  private final Admin admin;

  /**
   * Makes a cache.
   *
   * @param random for the boundaries of multipart answers
   */
  public Edge(
      EdgeSettings settings,
      Store store,
      Origin origin,
      Time time,
      Tally<Why> tally,
      Random random) {
    super(settings, store, origin, time, tally, random);
    admin = new Admin(this);
  }

  /** Makes the exchange for a request whose head is read. {@link Exchange#start} begins it. */
  public Exchange exchange(Client client) {
    return new Exchange(this, log.isOn() ? new LoggedClient(client, this) : client);
  }

  Admin admin() {
    return admin;
  }

  // ---- requests that are not served

  /** Finds the reason against serving a request, or null. */
  Refusal refusal(RequestHead request, boolean secure) {
    switch (request.method()) {
      case CONNECT, TRACE -> {
        return Refusal.METHOD;
      }
      default -> {}
    }
    if (request.hostStart() == request.hostEnd()) {
      return Refusal.NO_HOST;
    }
    if (request.isAbsolute() && request.isSecure() != secure) {
      return Refusal.SCHEME;
    }
    if (!settings.hosts().isEmpty() && !settings.hosts().contains(host(request))) {
      return Refusal.HOST;
    }
    return isLoop(request.fields()) ? Refusal.LOOP : null;
  }

  private static String host(RequestHead request) {
    String host =
        new String(
            request.bytes(),
            request.hostStart(),
            request.hostEnd() - request.hostStart(),
            StandardCharsets.ISO_8859_1);
    int colon = host.lastIndexOf(':');
    String name = colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    return name.toLowerCase(Locale.ROOT);
  }

  /** Tells whether Via names this edge (RFC 9110, 7.6.3). */
  private boolean isLoop(FieldSection fields) {
    list.reset(fields, Field.VIA);
    while (list.next()) {
      int length = list.end() - list.start();
      String member = new String(fields.bytes(), list.start(), length, StandardCharsets.ISO_8859_1);
      String[] parts = member.split("[ \\t]+", 3);
      if (parts.length > 1 && parts[1].equals(settings.via())) {
        return true;
      }
    }
    return false;
  }

  // ---- fetches on their way

  /** The fetches of a URI whose responses may answer other requests as well. */
  List<Fill> pending(Key key) {
    return pending.getOrDefault(key, List.of());
  }

  /**
   * Remembers a fetch until it is over.
   *
   * @param shared whether others may join it
   */
  void addFill(Fill fill, boolean shared) {
    fills.add(fill);
    if (shared) {
      pending.computeIfAbsent(fill.key, key -> new ArrayList<>(1)).add(fill);
    }
  }

  void removeFill(Fill fill) {
    fills.remove(fill);
    removePending(fill);
  }

  /** Lets nobody join a fetch any more. */
  void removePending(Fill fill) {
    List<Fill> joinable = pending.get(fill.key);
    if (joinable != null && joinable.remove(fill) && joinable.isEmpty()) {
      pending.remove(fill.key);
    }
  }

  // ---- stored responses that go

  /** Forgets what a purge names. Fetches that began before it store nothing. */
  int purge(Purge purge) {
    int purged = store.purge(purge);
    fills.forEach(fill -> fill.purge(purge));
    for (int i = 0; i < purged; i++) {
      tally.count(Why.PURGED);
    }
    return purged;
  }

  /** Invalidates a URI, and what the response to an unsafe request names (RFC 9111, 4.4). */
  void invalidate(Key target, FieldSection response) {
    invalidate(target);
    for (Field field : new Field[] {Field.LOCATION, Field.CONTENT_LOCATION}) {
      String other = Invalidation.other(target.toString(), response, field);
      if (other != null) {
        invalidate(Key.of(other));
      }
    }
  }

  private void invalidate(Key key) {
    Variants variants = store.find(key);
    for (int i = 0; variants != null && i < variants.size(); i++) {
      Entry entry = variants.get(i);
      store.update(entry, entry.response.invalidated());
      tally.count(Why.INVALIDATED);
    }
    for (Fill fill : fills) {
      if (fill.key.equals(key)) {
        fill.doom();
      }
    }
  }

  /** Counters and sizes as JSON. */
  String counters() {
    StringBuilder json = new StringBuilder("{");
    tally
        .snapshot()
        .forEach(
            (name, count) -> json.append('"').append(name).append("\":").append(count).append(','));
    return json.append("\"store-bytes\":")
        .append(store.bytes())
        .append(",\"store-responses\":")
        .append(store.count())
        .append(",\"disk-bytes\":")
        .append(store.diskBytes())
        .append("}\n")
        .toString();
  }
}
