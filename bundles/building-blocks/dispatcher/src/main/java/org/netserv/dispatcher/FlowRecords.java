// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.host.PacketPort;
import org.netserv.host.Ring;
import org.netserv.packet.Flow;
import org.netserv.packet.Flows;
import org.osgi.framework.BundleContext;

/** The records behind the ring's descriptors as a service. One object per bundle. */
final class FlowRecords implements Flows {
  /** Framework property with the node's features, comma separated. */
  static final String FEATURES = "netserv.fastpath";

  private final int first;
  private final List<String> features;
  private final FlowRecord record;

  FlowRecords(BundleContext context) {
    this(PacketPort.isAttached() ? PacketPort.descriptors() : null, context.getProperty(FEATURES));
  }

  /**
   * @param region D, little-endian; null = this container has no packets
   * @param features as in {@link #FEATURES}; null or empty = none
   */
  FlowRecords(ByteBuffer region, String features) {
    this.first = region == null ? 0 : firstRecord(region);
    this.features =
        features == null || features.isEmpty() ? List.of() : List.of(features.split(","));
    this.record = new FlowRecord(region);
  }

  /**
   * Returns the offset of the records, or 0 if they are absent or their number is not the expected
   * one.
   */
  private static int firstRecord(ByteBuffer region) {
    int slots = region.getInt(Ring.D_SLOTS);
    boolean known =
        region.getInt(Ring.D_RECORD_FLOWS) == Ring.RECORD_FLOWS
            && region.getInt(Ring.D_RECORD_COUNTS) == Ring.RECORD_COUNTS
            && region.capacity() >= Ring.dRelays(slots);
    return known ? region.getInt(Ring.D_RECORDS) : 0;
  }

  @Override
  public List<String> features() {
    return features;
  }

  @Override
  public void flows(Consumer<? super Flow> visitor) {
    show(0, Ring.RECORD_FLOWS, visitor);
  }

  @Override
  public void counts(Consumer<? super Flow> visitor) {
    show(Ring.RECORD_FLOWS, Ring.RECORD_FLOWS + Ring.RECORD_COUNTS, visitor);
  }

  private void show(int from, int to, Consumer<? super Flow> visitor) {
    if (first == 0) {
      return;
    }
    for (int i = from; i < to; i++) {
      if (record.read(first + i * Ring.RECORD_SIZE, i - from)) {
        visitor.accept(record);
      }
    }
  }
}
