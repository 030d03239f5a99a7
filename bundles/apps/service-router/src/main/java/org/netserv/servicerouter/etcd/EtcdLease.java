// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The entries of this router, under a lease. The store removes them when the lease is not kept
 * alive. Blocks. One thread at a time.
 */
final class EtcdLease {
  private final EtcdServers servers;
  private final String prefix;
  private final int seconds;
  private final Map<String, String> written = new HashMap<>();
  private int turn;
  private String lease;

  /**
   * Makes a lease that is not granted yet.
   *
   * @param prefix of the keys, with a slash at its end
   * @param seconds for which the entries live without this router
   */
  EtcdLease(EtcdServers servers, String prefix, int seconds) {
    this.servers = servers;
    this.prefix = prefix;
    this.seconds = seconds;
  }

  /**
   * Keeps the lease alive, and makes the entries those that are wanted.
   *
   * @return the number of entries that were written or removed
   */
  int renew(Map<String, String> wanted) throws IOException {
    try {
      return tryRenew(servers.client(turn), wanted);
    } catch (IOException | RuntimeException e) {
      turn++;
      throw e;
    }
  }

  private int tryRenew(EtcdClient client, Map<String, String> wanted) throws IOException {
    if (lease == null || !isAlive(client)) {
      JsonNode granted =
          client.ask("lease/grant", EtcdClient.object().put("TTL", Integer.toString(seconds)));
      lease = granted.path("ID").asText();
      written.clear();
    }
    int changes = 0;
    for (String key : List.copyOf(written.keySet())) {
      if (!wanted.containsKey(key)) {
        client.ask(
            "kv/deleterange", EtcdClient.object().put("key", EtcdClient.base64(prefix + key)));
        written.remove(key);
        changes++;
      }
    }
    for (Map.Entry<String, String> each : wanted.entrySet()) {
      if (!each.getValue().equals(written.get(each.getKey()))) {
        client.ask(
            "kv/put",
            EtcdClient.object()
                .put("key", EtcdClient.base64(prefix + each.getKey()))
                .put("value", EtcdClient.base64(each.getValue()))
                .put("lease", lease));
        written.put(each.getKey(), each.getValue());
        changes++;
      }
    }
    return changes;
  }

  /** Asks for another life of the lease. False if the store has forgotten it. */
  private boolean isAlive(EtcdClient client) throws IOException {
    JsonNode kept = client.ask("lease/keepalive", EtcdClient.object().put("ID", lease));
    return kept.path("result").path("TTL").asLong() > 0;
  }

  /** Ends the lease, and so all entries. */
  void revoke() throws IOException {
    if (lease != null) {
      EtcdClient client = servers.client(turn);
      client.ask("lease/revoke", EtcdClient.object().put("ID", lease));
      lease = null;
    }
  }
}
