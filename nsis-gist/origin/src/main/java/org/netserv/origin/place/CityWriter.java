// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.values.Prefix;

/**
 * Writes a city database in MaxMind's format, version 2.0: a binary tree over the bits of an IPv6
 * address, in which IPv4 is {@code ::/96}, then the entries, then the metadata.
 *
 * <pre>
 *   | node 0: left, right | node 1 | ...   | 16 zeros | entry | entry | ...  | marker | metadata |
 *     a record < nodes: the next node; = nodes: nothing; > nodes: nodes + 16 + offset of the entry
 * </pre>
 */
public final class CityWriter {
  private static final byte[] MARKER =
      "\u00ab\u00cd\u00efMaxMind.com".getBytes(StandardCharsets.ISO_8859_1);
  private static final int RECORD_BITS = 32;
  private static final int GAP = 16;
  private static final int MAPPED = 96;
  private static final int NOTHING = -1;

  /**
   * A line of the database.
   *
   * @param name of the city
   */
  public record Entry(Prefix prefix, Place place, String name) {}

  /** Left and right of each node: a node, {@link #NOTHING}, or below that the entry. */
  private final List<int[]> nodes = new ArrayList<>();

  private final MmdbData data = new MmdbData();
  private final List<Integer> offsets = new ArrayList<>();

  private CityWriter() {
    nodes.add(new int[] {NOTHING, NOTHING});
  }

  /**
   * Returns a database. Of two prefixes that hold an address the longer counts.
   *
   * @param seconds since 1970, the time of the build
   */
  public static byte[] write(List<Entry> entries, long seconds) {
    CityWriter writer = new CityWriter();
    entries.stream()
        .sorted(Comparator.comparingInt(entry -> length(entry.prefix())))
        .forEach(writer::add);
    return writer.bytes(seconds);
  }

  private static int length(Prefix prefix) {
    return prefix.family() == 4 ? MAPPED + prefix.length() : prefix.length();
  }

  private static int bit(Prefix prefix, int index) {
    byte[] address = prefix.address().getAddress();
    int at = prefix.family() == 4 ? index - MAPPED : index;
    return at < 0 ? 0 : address[at / 8] >> (7 - at % 8) & 1;
  }

  private void add(Entry entry) {
    offsets.add(data.size());
    Map<String, Object> location = new LinkedHashMap<>();
    location.put("latitude", entry.place().latitude());
    location.put("longitude", entry.place().longitude());
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("city", Map.of("names", Map.of("en", entry.name())));
    content.put("location", location);
    data.value(content);
    int leaf = NOTHING - offsets.size();
    int length = length(entry.prefix());
    int node = 0;
    for (int i = 0; i < length - 1; i++) {
      node = below(node, bit(entry.prefix(), i));
    }
    if (length == 0) {
      nodes.get(0)[0] = leaf;
      nodes.get(0)[1] = leaf;
    } else {
      nodes.get(node)[bit(entry.prefix(), length - 1)] = leaf;
    }
  }

  /** Returns the node on a side of a node. A new one has on both sides what was there. */
  private int below(int node, int side) {
    int next = nodes.get(node)[side];
    if (next >= 0) {
      return next;
    }
    nodes.add(new int[] {next, next});
    nodes.get(node)[side] = nodes.size() - 1;
    return nodes.size() - 1;
  }

  private byte[] bytes(long seconds) {
    ByteBuffer tree = ByteBuffer.allocate(nodes.size() * 2 * RECORD_BITS / 8);
    for (int[] node : nodes) {
      tree.putInt(record(node[0])).putInt(record(node[1]));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(tree.array());
    out.writeBytes(new byte[GAP]);
    out.writeBytes(data.bytes());
    out.writeBytes(MARKER);
    out.writeBytes(metadata(seconds));
    return out.toByteArray();
  }

  private int record(int side) {
    if (side >= 0) {
      return side;
    }
    return side == NOTHING ? nodes.size() : nodes.size() + GAP + offsets.get(NOTHING - 1 - side);
  }

  private byte[] metadata(long seconds) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("binary_format_major_version", 2);
    metadata.put("binary_format_minor_version", 0);
    metadata.put("build_epoch", BigInteger.valueOf(seconds));
    metadata.put("database_type", "NetServ-City");
    metadata.put("description", Map.of("en", "places of prefixes, by netserv origin places"));
    metadata.put("ip_version", 6);
    metadata.put("languages", List.of("en"));
    metadata.put("node_count", (long) nodes.size());
    metadata.put("record_size", RECORD_BITS);
    MmdbData written = new MmdbData();
    written.value(metadata);
    return written.bytes();
  }
}
