// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.netserv.servicerouter.feed.StoreMirror.Entry;

/**
 * Reads all entries below a key, and then each change, on a thread of its own. After a failure it
 * begins again with the next server.
 *
 * <pre>
 *   range at revision r -> watch from r + 1 -> events ... silence -> watch again from the last one
 *                                              failure, compacted -> range
 * </pre>
 */
final class EtcdWatch implements Runnable {
  private static final System.Logger LOG = System.getLogger(EtcdWatch.class.getName());
  private static final long PAUSE_MILLIS = 1000;
  private static final int ENTRIES_MOST = 1 << 16;

  /** Takes the entries on the thread of the watch. */
  interface Listener {
    void snapshot(List<Entry> entries);

    void put(Entry entry);

    void remove(String key);

    void alive();

    void lost();
  }

  private final EtcdServers servers;
  private final String prefix;
  private final int silenceMillis;
  private final Listener listener;
  private volatile boolean ends;

  /**
   * Makes a watch.
   *
   * @param prefix of the keys, with a slash at its end
   * @param silenceMillis after which the watch is tried anew
   */
  EtcdWatch(EtcdServers servers, String prefix, int silenceMillis, Listener listener) {
    this.servers = servers;
    this.prefix = prefix;
    this.silenceMillis = silenceMillis;
    this.listener = listener;
  }

  @Override
  public void run() {
    String told = "";
    for (int turn = 0; !ends; turn++) {
      try {
        follow(servers.client(turn));
      } catch (IOException | RuntimeException e) {
        if (!told.equals(e.toString()) && !ends) {
          LOG.log(System.Logger.Level.INFO, "etcd: {0}", e);
        }
        told = e.toString();
      }
      if (!ends) {
        listener.lost();
        rest();
      }
    }
  }

  private void rest() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      ends = true;
    }
  }

  private void follow(EtcdClient client) throws IOException {
    ObjectNode range = EtcdClient.object().put("key", EtcdClient.base64(prefix));
    range.put("range_end", EtcdClient.behind(prefix)).put("limit", ENTRIES_MOST);
    JsonNode all = client.ask("kv/range", range);
    List<Entry> entries = new ArrayList<>();
    for (JsonNode each : all.path("kvs")) {
      entries.add(entry(each));
    }
    listener.snapshot(entries);
    long revision = all.path("header").path("revision").asLong();
    while (!ends) {
      revision = watch(client, revision);
    }
  }

  private Entry entry(JsonNode node) throws IOException {
    String key = EtcdClient.text(node, "key");
    if (!key.startsWith(prefix)) {
      throw new IOException("a key outside of " + prefix);
    }
    return new Entry(key.substring(prefix.length()), EtcdClient.text(node, "value"));
  }

  /** Watches until nothing comes for a while. Returns the last revision. */
  private long watch(EtcdClient client, long from) throws IOException {
    long revision = from;
    boolean heard = false;
    ObjectNode body = EtcdClient.object();
    body.putObject("create_request")
        .put("key", EtcdClient.base64(prefix))
        .put("range_end", EtcdClient.behind(prefix))
        .put("start_revision", Long.toString(from + 1));
    try (EtcdExchange open = client.open("watch", body, silenceMillis);
        BufferedReader lines = EtcdClient.lines(open)) {
      for (JsonNode line = EtcdClient.line(lines); ; line = EtcdClient.line(lines)) {
        if (line == null || line.path("result").path("canceled").asBoolean() || line.has("error")) {
          throw new IOException("the watch has ended: " + line);
        }
        revision = events(line.path("result"), revision);
        heard = true; // the first line tells that the watch is there
        listener.alive();
      }
    } catch (SocketTimeoutException e) {
      if (!heard) {
        throw e;
      }
      return revision;
    }
  }

  private long events(JsonNode result, long before) throws IOException {
    long revision = before;
    for (JsonNode event : result.path("events")) {
      Entry entry = entry(event.path("kv"));
      if (event.path("type").asText("PUT").equals("DELETE")) {
        listener.remove(entry.key());
      } else {
        listener.put(entry);
      }
      revision = Math.max(revision, event.path("kv").path("mod_revision").asLong());
    }
    return revision;
  }

  /**
   * Ends the watch from another thread, when something comes or the silence is over. To disconnect
   * here would wait for the lock of the thread that reads.
   */
  void end() {
    ends = true;
  }
}
