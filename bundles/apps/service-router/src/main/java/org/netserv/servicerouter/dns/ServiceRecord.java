// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.table.Rule;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.SVCBBase;
import org.xbill.DNS.SVCBBase.ParameterBase;
import org.xbill.DNS.SVCBBase.ParameterIpv4Hint;
import org.xbill.DNS.SVCBBase.ParameterIpv6Hint;
import org.xbill.DNS.SVCBBase.ParameterMandatory;
import org.xbill.DNS.SVCBBase.ParameterPort;
import org.xbill.DNS.SVCBBase.ParameterUnknown;
import org.xbill.DNS.SVCBRecord;
import org.xbill.DNS.TXTRecord;

/**
 * A target in the DNS, as SVCB (RFC 9460) or as TXT.
 *
 * <pre>
 *   SVCB  65535-priority  .  port=54325 ipv4hint=192.0.2.7 key65400=weight key65401=bits key65402=until
 *   TXT   "serval1" "target=192.0.2.7:54325" "priority=0" "weight=1" "bits=256" "until=1700000000"
 * </pre>
 *
 * <p>Weight and bits have 16 bits, and until 64. Without bits the record is of one serviceID, and
 * without until it does not end by itself.
 *
 * @param target an address with its port
 * @param priority 0 to 65,534, higher first
 * @param weight 0 to 65,535
 * @param bits length of the prefix, 0 to 256
 * @param until seconds since 1970, {@code Long.MAX_VALUE} if it does not end
 */
record ServiceRecord(Endpoint target, int priority, int weight, int bits, long until) {
  static final int WEIGHT = 65_400;
  static final int BITS = 65_401;
  static final int UNTIL = 65_402;

  private static final int LAST_PRIORITY = 65_535;
  private static final int PORT_MOST = 65_535;
  private static final String VERSION = "serval1";

  /** Reads a record. Null if it is none of a service, or one that this reader does not know. */
  static ServiceRecord of(Record record) {
    try {
      if (record instanceof SVCBRecord svcb) {
        return ofSvcb(svcb);
      }
      return record instanceof TXTRecord txt ? ofText(txt) : null;
    } catch (UnknownHostException | RuntimeException e) {
      return null; // the library and Integer throw for some broken values
    }
  }

  private static ServiceRecord ofSvcb(SVCBRecord svcb) throws UnknownHostException {
    boolean four = svcb.getSvcParamValue(SVCBBase.IPV4HINT) instanceof ParameterIpv4Hint;
    boolean alias = svcb.getSvcPriority() == 0;
    if (alias
        || !isKnown(svcb)
        || !(svcb.getSvcParamValue(SVCBBase.PORT) instanceof ParameterPort)) {
      return null;
    }
    List<? extends InetAddress> hints =
        four
            ? ((ParameterIpv4Hint) svcb.getSvcParamValue(SVCBBase.IPV4HINT)).getAddresses()
            : ((ParameterIpv6Hint) svcb.getSvcParamValue(SVCBBase.IPV6HINT)).getAddresses();
    int port = ((ParameterPort) svcb.getSvcParamValue(SVCBBase.PORT)).getPort();
    return checked(
        new ServiceRecord(
            endpoint(hints.get(0), port),
            LAST_PRIORITY - svcb.getSvcPriority(),
            (int) number(svcb, WEIGHT, Short.BYTES, 1),
            (int) number(svcb, BITS, Short.BYTES, ServiceId.BITS),
            number(svcb, UNTIL, Long.BYTES, Long.MAX_VALUE)));
  }

  /** Tells whether this reader knows all that the record says has to be known. */
  private static boolean isKnown(SVCBRecord svcb) {
    List<Integer> known =
        List.of(SVCBBase.PORT, SVCBBase.IPV4HINT, SVCBBase.IPV6HINT, WEIGHT, BITS, UNTIL);
    return !(svcb.getSvcParamValue(SVCBBase.MANDATORY) instanceof ParameterMandatory mandatory)
        || known.containsAll(mandatory.getValues());
  }

  private static long number(SVCBRecord svcb, int key, int length, long absent) {
    ParameterBase value = svcb.getSvcParamValue(key);
    if (value == null) {
      return absent;
    }
    ByteBuffer bytes = ByteBuffer.wrap(value.toWire());
    if (bytes.capacity() != length) {
      throw new IllegalArgumentException("key " + key);
    }
    return length == Short.BYTES ? bytes.getShort() & 0xffff : bytes.getLong();
  }

  private static ServiceRecord ofText(TXTRecord text) throws UnknownHostException {
    List<String> strings = text.getStrings();
    if (strings.isEmpty() || !strings.get(0).equals(VERSION)) {
      return null;
    }
    Map<String, String> fields = new HashMap<>();
    for (String string : strings.subList(1, strings.size())) {
      String[] parts = string.split("=", 2);
      fields.put(parts[0], parts.length == 1 ? "" : parts[1]);
    }
    String target = fields.getOrDefault("target", "");
    int colon = target.lastIndexOf(':');
    String host = target.substring(0, colon);
    if (!host.matches("[0-9.]+|\\[[0-9a-fA-F:.]+]")) {
      return null; // a name would be looked up
    }
    return checked(
        new ServiceRecord(
            endpoint(InetAddress.getByName(host), Integer.parseInt(target.substring(colon + 1))),
            Integer.parseInt(fields.getOrDefault("priority", "0")),
            Integer.parseInt(fields.getOrDefault("weight", "1")),
            Integer.parseInt(fields.getOrDefault("bits", "256")),
            Long.parseLong(fields.getOrDefault("until", Long.toString(Long.MAX_VALUE)))));
  }

  private static ServiceRecord checked(ServiceRecord read) {
    boolean right =
        isBetween(read.target.port(), 1, PORT_MOST)
            && isBetween(read.priority, 0, LAST_PRIORITY - 1)
            && isBetween(read.weight, 0, Rule.MOST_WEIGHT)
            && isBetween(read.bits, 0, ServiceId.BITS);
    return right ? read : null;
  }

  private static boolean isBetween(int value, int least, int most) {
    return value >= least && value <= most;
  }

  private static Endpoint endpoint(InetAddress address, int port) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return bytes.capacity() == Integer.BYTES
        ? Endpoint.ofIpv4(bytes.getInt(), port)
        : new Endpoint(bytes.getLong(), bytes.getLong(), port);
  }

  /** Returns the address without its port. */
  private InetAddress address() {
    byte[] bytes =
        target.isIpv4()
            ? ByteBuffer.allocate(Integer.BYTES).putInt(target.ipv4()).array()
            : ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(target.high())
                .putLong(target.low())
                .array();
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // the length is right
    }
  }

  /** Returns the record as SVCB. */
  Record svcb(Name owner, long ttl) {
    List<ParameterBase> values = new ArrayList<>();
    values.add(new ParameterPort(target.port()));
    values.add(
        target.isIpv4()
            ? new ParameterIpv4Hint(List.of((Inet4Address) address()))
            : new ParameterIpv6Hint(List.of((Inet6Address) address())));
    values.add(new ParameterUnknown(WEIGHT, shortBytes(weight)));
    values.add(new ParameterUnknown(BITS, shortBytes(bits)));
    values.add(new ParameterUnknown(UNTIL, ByteBuffer.allocate(Long.BYTES).putLong(until).array()));
    return new SVCBRecord(owner, DClass.IN, ttl, LAST_PRIORITY - priority, Name.root, values);
  }

  private static byte[] shortBytes(int value) {
    return ByteBuffer.allocate(Short.BYTES).putShort((short) value).array();
  }

  /** Returns the record as TXT. */
  Record txt(Name owner, long ttl) {
    String host = address().getHostAddress();
    String text = (target.isIpv4() ? host : "[" + host + "]") + ":" + target.port();
    return new TXTRecord(
        owner,
        DClass.IN,
        ttl,
        List.of(
            VERSION,
            "target=" + text,
            "priority=" + priority,
            "weight=" + weight,
            "bits=" + bits,
            "until=" + until));
  }
}
