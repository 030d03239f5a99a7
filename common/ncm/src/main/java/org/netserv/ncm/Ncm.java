// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.net.InetAddress;
import java.net.URI;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.netserv.filter.pcap.PcapFilter;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;

/**
 * A NetServ Control Message. Every value in it is well formed and canonical, and both of its forms
 * fit into {@link #MAX_BYTES}. {@link NcmRules} checks that the headers suit the method, and {@link
 * NcmSigner} checks the signature. Immutable. Two messages are equal when all of their parts are
 * equal.
 */
public final class Ncm {
  /** The longest message, in bytes, in its text form and in its binary form. */
  public static final int MAX_BYTES = 16_384;

  /** Length of a nonce. */
  public static final int NONCE_BYTES = 16;

  /** The protocol of our own messages. */
  public static final String CURRENT = "1.0";

  /** The protocol of the paper's messages. */
  public static final String LEGACY = "0.1";

  private final String protocol;
  private final Method method;
  private final ModuleName module;
  private final Map<Header, String> headers;

  private Ncm(String protocol, Method method, ModuleName module, Map<Header, String> headers) {
    this.protocol = protocol;
    this.method = method;
    this.module = module;
    this.headers = headers;
  }

  /** Begins a message of protocol 1.0. */
  public static Builder builder(Method method, String name) {
    return new Builder(method, name);
  }

  /** A builder that holds all of this message. */
  public Builder toBuilder() {
    Builder builder = new Builder(method, name()).version(version()).protocol(protocol);
    headers.forEach(builder::set);
    return builder;
  }

  /** {@link #CURRENT} or {@link #LEGACY}. */
  public String protocol() {
    return protocol;
  }

  public Method method() {
    return method;
  }

  /** The bundle's symbolic name, or {@code *}. */
  public String name() {
    return module.symbolicName();
  }

  /** The bundle's version (three or four parts), or null. */
  public String version() {
    return module.version();
  }

  /** Name and version as they stand in the request line. */
  public String fullName() {
    return module.toString();
  }

  /** All headers with their canonical text, in ascending order of type; unmodifiable. */
  public Map<Header, String> headers() {
    return headers;
  }

  public boolean has(Header header) {
    return headers.containsKey(header);
  }

  /** The canonical text of a header, or null. */
  public String get(Header header) {
    return headers.get(header);
  }

  /** Returns the dependencies; empty when absent. */
  public List<Dependency> dependencies() {
    return value(
            Header.DEPENDENCIES, t -> t.isEmpty() ? List.<Dependency>of() : Dependency.parseList(t))
        .orElse(List.of());
  }

  /** Destination ports; empty = any. */
  public List<PortRange> filterPorts() {
    return value(Header.FILTER_PORT, HeaderValues::portList).orElse(List.of());
  }

  /** IP protocol numbers; empty = any. */
  public List<Integer> filterProtos() {
    return value(Header.FILTER_PROTO, HeaderValues::protoList).orElse(List.of());
  }

  /**
   * Returns the prefixes. Absent: the publisher's own prefixes. Present and empty: none, which is
   * refused.
   */
  public Optional<List<Prefix>> filterPrefixes() {
    return value(Header.FILTER_PREFIX, HeaderValues::prefixList);
  }

  /** Returns N of 1/N, for copies of each Nth packet. Absent: the packets themselves. */
  public OptionalInt filterSample() {
    return has(Header.FILTER_SAMPLE)
        ? OptionalInt.of(Integer.parseInt(get(Header.FILTER_SAMPLE).substring(2)))
        : OptionalInt.empty();
  }

  /** Returns the condition on packets besides addresses and ports. Absent: none. */
  public Optional<PcapFilter> filterMatch() {
    return value(Header.FILTER_MATCH, PcapFilter::parse);
  }

  /**
   * Returns the fields by which the kernel counts the packets, canonical. Absent: the kernel does
   * not count them.
   */
  public Optional<String> filterCount() {
    return Optional.ofNullable(get(Header.FILTER_COUNT));
  }

  /** Returns the ports whose connections the module wants; empty when absent. */
  public List<TakenPort> takenPorts() {
    return value(Header.TAKE, HeaderValues::takenPorts).orElse(List.of());
  }

  /** Tells whether the module only looks on, so that no packet waits for it. */
  public boolean looksOn() {
    return has(Header.FILTER_SAMPLE) || has(Header.FILTER_COUNT);
  }

  /**
   * Returns the notification's URL. Absent, too, when the header is there and empty, as in the
   * paper's example.
   */
  public Optional<URI> notification() {
    return value(Header.NOTIFICATION, t -> t).filter(t -> !t.isEmpty()).map(URI::create);
  }

  public Optional<String> nodeId() {
    return value(Header.NODE_ID, t -> t);
  }

  /** {@link Where#ALL} when absent. */
  public Where where() {
    return value(Header.WHERE, Where::parse).orElse(Where.ALL);
  }

  /** Returns the kinds of information that a PROBE asks for, each once; empty in other methods. */
  public List<ProbeKind> probes() {
    return value(Header.PROBE, HeaderValues::probeKinds).orElse(List.of());
  }

  /** Returns the properties in the order given; empty when absent. */
  public Map<String, String> properties() {
    return value(Header.PROPERTIES, PropertyList::parse).orElse(Map.of());
  }

  /** Base64 of the CMS structure that {@link Sealed} opens. */
  public Optional<String> sealedProperties() {
    return value(Header.SEALED, t -> t);
  }

  /** Seconds, 1 to 31,536,000. */
  public OptionalInt ttl() {
    return number(Header.TTL);
  }

  /** Seconds, 1 to 31,536,000. */
  public OptionalInt idleTtl() {
    return number(Header.IDLE_TTL);
  }

  public Optional<URI> url() {
    return value(Header.URL, URI::create);
  }

  public Optional<String> user() {
    return value(Header.USER, t -> t);
  }

  /** SHA-256 of the bundle, 64 hexadecimal digits in lower case. */
  public Optional<String> digest() {
    return value(Header.DIGEST, t -> t);
  }

  /** Whole seconds. */
  public Optional<Instant> date() {
    return value(Header.DATE, Instant::parse);
  }

  /** 16 bytes, a copy. */
  public Optional<byte[]> nonce() {
    return value(Header.NONCE, HexFormat.of()::parseHex);
  }

  /** The flow destination. */
  public Optional<InetAddress> to() {
    return value(Header.TO, Addresses::parse);
  }

  /**
   * Returns the sequence number. It is unsigned, so compare it with {@link Long#compareUnsigned}.
   */
  public OptionalLong seq() {
    return has(Header.SEQ)
        ? OptionalLong.of(Long.parseUnsignedLong(get(Header.SEQ)))
        : OptionalLong.empty();
  }

  /** Returns the certificate by which a delegate signs in the publisher's name. */
  public Optional<Delegation> delegation() {
    return value(Header.DELEGATION, text -> Delegation.read(Base64.getDecoder().decode(text)));
  }

  /** Returns the serial numbers and keys that a REMOVE revokes; empty when it revokes none. */
  public List<String> revoked() {
    return value(Header.REVOKE, Revocation::parseList).orElse(List.of());
  }

  /** {@link Activate#NOW} when absent. */
  public Activate activate() {
    return value(Header.ACTIVATE, Activate::parse).orElse(Activate.NOW);
  }

  /** The raw signature, a copy. */
  public Optional<byte[]> signature() {
    return value(Header.SIGNATURE, Base64.getDecoder()::decode);
  }

  /**
   * Tells whether a node of that id must act. Both {@code node-id} and {@code where} must admit it.
   *
   * @param last true when the node is the last NetServ node on the path
   */
  public boolean addressedTo(String nodeId, boolean last) {
    Where where = where();
    boolean admitted =
        switch (where.kind()) {
          case ALL -> true;
          case LAST -> last;
          case NODES -> where.nodes().contains(nodeId);
        };
    return admitted && nodeId().map(nodeId::equals).orElse(true);
  }

  /** Returns the bytes that the publisher signs: all of the message but the signature. */
  public byte[] signedBytes() {
    return NcmBinary.signedBytes(this);
  }

  private OptionalInt number(Header header) {
    return has(header) ? OptionalInt.of(Integer.parseInt(get(header))) : OptionalInt.empty();
  }

  private interface Reader<T> {
    T read(String text) throws BadValueException;
  }

  private <T> Optional<T> value(Header header, Reader<T> reader) {
    String text = headers.get(header);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(reader.read(text));
    } catch (BadValueException e) {
      throw new IllegalStateException(header + " was checked when the message was built", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Ncm that
        && protocol.equals(that.protocol)
        && method == that.method
        && module.equals(that.module)
        && headers.equals(that.headers);
  }

  @Override
  public int hashCode() {
    return Objects.hash(protocol, method, module, headers);
  }

  /** The request line. */
  @Override
  public String toString() {
    return NcmText.requestLine(this);
  }

  /** Collects a message; {@link #build} checks it. Not safe for use by several threads. */
  public static final class Builder {
    private final Method method;
    private final String name;
    private String version;
    private String protocol = CURRENT;
    private final Map<Header, String> headers = new EnumMap<>(Header.class);

    private Builder(Method method, String name) {
      this.method = Objects.requireNonNull(method);
      this.name = Objects.requireNonNull(name);
    }

    /** Null = none. */
    public Builder version(String version) {
      this.version = version;
      return this;
    }

    public Builder protocol(String protocol) {
      this.protocol = Objects.requireNonNull(protocol);
      return this;
    }

    /** Sets a header to a text as it may stand in the text form; replaces an earlier one. */
    public Builder set(Header header, String value) {
      headers.put(header, Objects.requireNonNull(value));
      return this;
    }

    public Builder set(Header header, long value) {
      return set(header, Long.toUnsignedString(value));
    }

    public Builder unset(Header header) {
      headers.remove(header);
      return this;
    }

    public Builder properties(Map<String, String> properties) {
      return set(Header.PROPERTIES, PropertyList.print(properties));
    }

    /** Cuts the date down to seconds. */
    public Builder date(Instant date) {
      return set(Header.DATE, Instant.ofEpochSecond(date.getEpochSecond()).toString());
    }

    /** 16 bytes. */
    public Builder nonce(byte[] nonce) {
      return set(Header.NONCE, HexFormat.of().formatHex(nonce));
    }

    public Builder delegation(Delegation delegation) {
      return set(Header.DELEGATION, Base64.getEncoder().encodeToString(delegation.encoded()));
    }

    public Builder to(InetAddress destination) {
      return set(Header.TO, Addresses.print(destination));
    }

    /**
     * Checks everything and makes the message.
     *
     * @throws NcmException 400 naming the header whose value is bad, 413 when the message is too
     *     long
     */
    public Ncm build() throws NcmException {
      if (!protocol.equals(CURRENT) && !protocol.equals(LEGACY)) {
        throw NcmException.bad(
            "request line: unknown protocol NETSERV/" + BadValueException.quote(protocol));
      }
      Map<Header, String> checked = new EnumMap<>(Header.class);
      for (Map.Entry<Header, String> entry : headers.entrySet()) {
        checked.put(entry.getKey(), entry.getKey().canonical(entry.getValue()));
      }
      Ncm ncm = new Ncm(protocol, method, module(), Collections.unmodifiableMap(checked));
      requireFits(NcmBinary.encode(ncm).length);
      requireFits(NcmText.bytes(ncm).length);
      return ncm;
    }

    private ModuleName module() throws NcmException {
      try {
        return ModuleName.of(name, version);
      } catch (BadValueException e) {
        throw NcmException.bad("request line: " + e.getMessage());
      }
    }

    private static void requireFits(int length) throws NcmException {
      if (length > MAX_BYTES) {
        throw NcmException.tooLarge("longer than " + MAX_BYTES + " bytes");
      }
    }
  }
}
