// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Right messages of every type with random contents, each field over its whole range. */
final class RandomMessages {
  private final Random random;

  RandomMessages(Random random) {
    this.random = random;
  }

  GistMessage next() {
    return switch (pick(MessageType.values())) {
      case QUERY -> query();
      case RESPONSE -> response();
      case CONFIRM -> confirm();
      case DATA -> data();
      case ERROR -> error();
      case MA_HELLO -> hello();
    };
  }

  private GistMessage query() {
    List<GistObject> objects = new ArrayList<>();
    maybe(objects, nat());
    Mri mri = mri();
    objects.add(mri instanceof LooseEndMri && mri.upstream() ? mri.flipped() : mri);
    objects.add(session());
    objects.add(nli());
    objects.add(new QueryCookie(bytes(4 * (1 + random.nextInt(10)))));
    if (random.nextBoolean()) {
      stacks(objects);
    }
    maybe(objects, payload());
    return message(MessageType.QUERY, true, true, false, objects);
  }

  private GistMessage response() {
    List<GistObject> objects = new ArrayList<>();
    maybe(objects, nat());
    objects.add(mri());
    objects.add(session());
    objects.add(nli());
    objects.add(new QueryCookie(bytes(4 * (1 + random.nextInt(10)))));
    boolean cookie = random.nextBoolean();
    if (cookie) {
      objects.add(new ResponderCookie(bytes(4 * (1 + random.nextInt(10)))));
      if (random.nextBoolean()) {
        stacks(objects);
      }
    }
    maybe(objects, payload());
    return message(MessageType.RESPONSE, false, cookie || random.nextBoolean(), false, objects);
  }

  private GistMessage confirm() {
    List<GistObject> objects = new ArrayList<>(List.of(mri(), session(), nli()));
    if (random.nextBoolean()) {
      objects.add(new ResponderCookie(bytes(4 * (1 + random.nextInt(10)))));
      if (random.nextBoolean()) {
        stacks(objects);
        if (random.nextBoolean()) {
          objects.remove(objects.size() - 1);
        }
      }
    }
    maybe(objects, payload());
    return message(MessageType.CONFIRM, false, false, false, objects);
  }

  private GistMessage data() {
    boolean explicit = random.nextBoolean();
    List<GistObject> objects = new ArrayList<>();
    maybe(objects, nat());
    Mri mri = mri();
    objects.add(explicit && mri instanceof LooseEndMri && mri.upstream() ? mri.flipped() : mri);
    objects.add(session());
    maybe(objects, nli());
    objects.add(payload());
    return message(MessageType.DATA, explicit, false, random.nextBoolean(), objects);
  }

  private GistMessage error() {
    List<GistObject> objects = new ArrayList<>();
    maybe(objects, nat());
    maybe(objects, nli());
    List<ErrorInfo> info = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      info.add(new ErrorInfo(random.nextInt(65536), bytes(4 * random.nextInt(9))));
    }
    objects.add(
        new ErrorObject(
            random.nextInt(256),
            random.nextInt(65536),
            random.nextInt(256),
            random.nextBoolean(),
            random.nextBoolean(),
            bytes(8),
            random.nextBoolean() ? session() : null,
            random.nextBoolean() ? mri().value() : null,
            info,
            pick(new String[] {"", "x", "four", "\u00e9t\u00e9 \u20ac"})));
    return message(MessageType.ERROR, false, false, false, objects);
  }

  private GistMessage hello() {
    int id = random.nextInt();
    return message(
        MessageType.MA_HELLO,
        false,
        id != 0 && random.nextBoolean(),
        false,
        List.of(new HelloId(id)));
  }

  private GistMessage message(
      MessageType type, boolean explicit, boolean reply, boolean routed, List<GistObject> objects) {
    List<GistObject> all = new ArrayList<>(objects);
    for (int i = random.nextInt(3) - 1; i > 0; i--) {
      all.add(random.nextInt(all.size() + 1), unknown());
    }
    CommonHeader header =
        new CommonHeader(
            random.nextInt(256),
            random.nextInt(65536),
            type,
            explicit,
            random.nextBoolean(),
            reply,
            routed);
    return new GistMessage(header, all);
  }

  private UnknownObject unknown() {
    return new UnknownObject(
        UnknownObject.FORWARD, 11 + random.nextInt(4085), bytes(4 * random.nextInt(5)));
  }

  Mri mri() {
    int bits = random.nextBoolean() ? 32 : 128;
    InetAddress source = address(bits);
    InetAddress destination = address(bits);
    boolean up = random.nextBoolean();
    return switch (random.nextInt(8)) {
      case 0 -> unknownMri();
      case 1, 2 -> new LooseEndMri(source, destination, up);
      default -> {
        boolean protocol = random.nextBoolean();
        yield new PathCoupledMri(
            source,
            random.nextInt(bits + 1),
            destination,
            random.nextInt(bits + 1),
            protocol ? random.nextInt(256) : -1,
            random.nextInt(65) - 1,
            bits == 128 ? random.nextInt(0x100001) - 1 : -1,
            protocol && random.nextBoolean() ? Integer.toUnsignedLong(random.nextInt()) : -1,
            protocol ? random.nextInt(65537) - 1 : -1,
            protocol && random.nextBoolean() ? random.nextInt(65536) : -1,
            up);
      }
    };
  }

  private UnknownMri unknownMri() {
    byte[] value = bytes(4 * (1 + random.nextInt(6)));
    value[0] = (byte) (2 + random.nextInt(254));
    return new UnknownMri(value[0] & 0xff, value);
  }

  private NatTraversal nat() {
    List<Integer> types = new ArrayList<>();
    List<byte[]> nats = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      types.add(random.nextInt(65536));
      nats.add(bytes(random.nextInt(11)));
    }
    return new NatTraversal(random.nextBoolean() ? mri().value() : new byte[0], types, nats);
  }

  private SessionId session() {
    return new SessionId(bytes(16));
  }

  private NetworkLayerInfo nli() {
    return new NetworkLayerInfo(
        random.nextInt(256),
        1 + Integer.toUnsignedLong(random.nextInt()) % 0xffffffffL,
        bytes(random.nextInt(256)),
        address(random.nextBoolean() ? 32 : 128));
  }

  /** Adds a proposal, and a configuration that names only proposed stacks. */
  private void stacks(List<GistObject> objects) {
    List<List<Integer>> profiles = new ArrayList<>();
    List<StackConfiguration.Option> options = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      List<Integer> layers = new ArrayList<>();
      for (int j = random.nextInt(6); j >= 0; j--) {
        layers.add(1 + random.nextInt(255));
      }
      profiles.add(layers);
      options.add(
          new StackConfiguration.Option(
              layers.get(random.nextInt(layers.size())),
              random.nextBoolean() ? 0 : profiles.size(),
              random.nextBoolean(),
              bytes(random.nextInt(9))));
    }
    objects.add(new StackProposal(profiles));
    objects.add(
        new StackConfiguration(
            1 + Integer.toUnsignedLong(random.nextInt()) % 0xffffffffL,
            random.nextBoolean() ? options : List.of()));
  }

  private NslpData payload() {
    return new NslpData(bytes(4 * random.nextInt(30)));
  }

  private InetAddress address(int bits) {
    return IpAddresses.of(bytes(bits / 8));
  }

  private void maybe(List<GistObject> objects, GistObject object) {
    if (random.nextBoolean()) {
      objects.add(object);
    }
  }

  private <T> T pick(T[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
