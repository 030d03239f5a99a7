// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads one message: header, then object after object, then the checks of the whole message. The
 * first fault ends it.
 */
final class MessageDecoder {
  private static final int MANDATORY = 0;
  private static final int IGNORE = 1;
  private static final int RESERVED = 3;

  private final byte[] bytes;
  private final int from;
  private final int to;
  private final ObjectReader in;
  private final List<GistObject> objects = new ArrayList<>(8);
  private MessageRules rules;
  private int seen;
  private int place;

  MessageDecoder(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.in = new ObjectReader(bytes);
  }

  GistMessage decode() throws MalformedMessageException {
    try {
      RawHeader header = header();
      MessageType type = type(header);
      rules = MessageRules.of(type);
      MessageRules.requireFlags(header, type);
      requireLength(to - from == header.totalBytes());
      readObjects();
      rules.requireComplete(type, seen);
      GistMessage message = new GistMessage(common(header, type), objects);
      requireConsistent(message);
      return message;
    } catch (GistFormatException e) {
      throw new MalformedMessageException(e, OffendingMessage.of(bytes, from, to));
    }
  }

  private RawHeader header() throws GistFormatException {
    requireLength(to - from >= RawHeader.BYTES);
    RawHeader header = RawHeader.read(bytes, from).orElseThrow();
    if (!header.supported()) {
      throw MessageRules.common(GistError.UNKNOWN_VERSION);
    }
    return header;
  }

  private static MessageType type(RawHeader header) throws GistFormatException {
    MessageType type = MessageType.of(header.type());
    if (type == null) {
      throw MessageRules.common(GistError.UNKNOWN_TYPE);
    }
    return type;
  }

  private static CommonHeader common(RawHeader header, MessageType type) {
    return new CommonHeader(
        header.hops(),
        header.nslpId(),
        type,
        header.explicit(),
        header.sourceAddress(),
        header.reply(),
        header.routed());
  }

  private void readObjects() throws GistFormatException {
    int at = from + RawHeader.BYTES;
    while (at < to) { // whole words only, so there is room for the header of an object
      int end = RawMessage.endOfObject(bytes, at);
      requireLength(end <= to);
      int head = NetworkOrder.get16(bytes, at);
      in.open(at, end);
      readObject(head >> 14, head & 0xfff);
      at = end;
    }
  }

  private void readObject(int extensibility, int type) throws GistFormatException {
    if (extensibility == RESERVED) {
      throw MessageRules.wrongType(GistError.INVALID_EXTENSIBILITY_FLAGS, type);
    }
    if (ObjectCodec.known(type)) {
      requirePlace(type);
      objects.add(ObjectCodec.decode(type, in));
    } else if (extensibility == MANDATORY) {
      throw MessageRules.wrongType(GistError.UNRECOGNISED_OBJECT, type);
    } else if (extensibility != IGNORE) {
      objects.add(new UnknownObject(extensibility, type, in.takeRest()));
    }
  }

  private void requirePlace(int type) throws GistFormatException {
    if (MessageRules.has(seen, type)) {
      throw MessageRules.wrongType(GistError.DUPLICATE_OBJECT, type);
    }
    if (rules.place(type) <= place) {
      throw MessageRules.wrongType(GistError.INVALID_OBJECT_TYPE, type);
    }
    seen |= 1 << type;
    place = rules.place(type);
  }

  private void requireLength(boolean right) throws GistFormatException {
    if (!right) {
      throw new GistFormatException(
          GistError.INCORRECT_MESSAGE_LENGTH,
          List.of(ErrorInfo.messageLength(calculatedWords())),
          to - from + " bytes do not fit length and objects");
    }
  }

  /**
   * Returns the length that the objects would have. The last object may claim to end after the
   * message.
   */
  private int calculatedWords() {
    int at = from + RawHeader.BYTES;
    while (to - at >= ObjectReader.HEADER) {
      at = RawMessage.endOfObject(bytes, at);
    }
    return (at - from - RawHeader.BYTES) / 4;
  }

  private void requireConsistent(GistMessage message) throws GistFormatException {
    CommonHeader header = message.header();
    switch (header.type()) {
      case QUERY, RESPONSE, CONFIRM -> {
        if (header.type() == MessageType.RESPONSE
            && !header.reply()
            && MessageRules.has(seen, ResponderCookie.TYPE)) {
          throw MessageRules.common(GistError.INVALID_R_FLAG);
        }
        requireStacksMatch(message);
      }
      case MA_HELLO -> {
        if (header.reply() && message.find(HelloId.class).orElseThrow().value() == 0) {
          throw unsupported(HelloId.TYPE, ObjectReader.HEADER, "request with Hello-ID zero");
        }
      }
      case DATA, ERROR -> {}
    }
    if (header.explicit()
        && message.find(Mri.class).orElseThrow() instanceof LooseEndMri mri
        && mri.upstream()) {
      throw unsupported(Mri.TYPE, ObjectReader.HEADER + 2, "Q-mode from the edge of the network");
    }
  }

  /**
   * Verifies that the proposal has all protocols and profiles of the configuration (section 5.7.1).
   */
  private void requireStacksMatch(GistMessage message) throws GistFormatException {
    if (!MessageRules.has(seen, StackConfiguration.TYPE)) {
      return;
    }
    StackProposal proposal = message.find(StackProposal.class).orElseThrow();
    StackConfiguration configuration = message.find(StackConfiguration.class).orElseThrow();
    int offset = ObjectReader.HEADER + 8;
    for (StackConfiguration.Option option : configuration.options()) {
      if (!proposal.has(option.protocol(), option.profile())) {
        throw new GistFormatException(
            GistError.STACK_MISMATCH,
            List.of(
                info(StackProposal.TYPE, ObjectReader.HEADER),
                info(StackConfiguration.TYPE, offset)),
            "protocol " + option.protocol() + " of profile " + option.profile() + " not proposed");
      }
      offset += 4 + NetworkOrder.padded(option.data().length);
    }
  }

  private GistFormatException unsupported(int type, int offset, String message) {
    return new GistFormatException(
        GistError.VALUE_NOT_SUPPORTED, List.of(info(type, offset)), message);
  }

  private ErrorInfo info(int type, int offset) {
    int at = RawMessage.find(bytes, from, to, type);
    in.open(at, RawMessage.endOfObject(bytes, at));
    return in.info(offset);
  }
}
