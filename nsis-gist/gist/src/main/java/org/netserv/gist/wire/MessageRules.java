// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * The objects of each type of message, their order (RFC 5971 section 5.1), and the flags. An object
 * in the wrong place is reported as 9/3, because there is no subcode for it.
 */
final class MessageRules {
  private static final int OPTIONAL = 0x100;

  /** Rules by type of message. One row is the order of the wire. */
  private static final MessageRules[] ALL = {
    // Query
    new MessageRules(
        may(NatTraversal.TYPE),
        Mri.TYPE,
        SessionId.TYPE,
        NetworkLayerInfo.TYPE,
        QueryCookie.TYPE,
        may(StackProposal.TYPE),
        may(StackConfiguration.TYPE),
        may(NslpData.TYPE)),
    // Response
    new MessageRules(
        may(NatTraversal.TYPE),
        Mri.TYPE,
        SessionId.TYPE,
        NetworkLayerInfo.TYPE,
        QueryCookie.TYPE,
        may(ResponderCookie.TYPE),
        may(StackProposal.TYPE),
        may(StackConfiguration.TYPE),
        may(NslpData.TYPE)),
    // Confirm
    new MessageRules(
        Mri.TYPE,
        SessionId.TYPE,
        NetworkLayerInfo.TYPE,
        may(ResponderCookie.TYPE),
        may(StackProposal.TYPE),
        may(StackConfiguration.TYPE),
        may(NslpData.TYPE)),
    // Data
    new MessageRules(
        may(NatTraversal.TYPE),
        Mri.TYPE,
        SessionId.TYPE,
        may(NetworkLayerInfo.TYPE),
        NslpData.TYPE),
    // Error
    new MessageRules(may(NatTraversal.TYPE), may(NetworkLayerInfo.TYPE), ErrorObject.TYPE),
    // MA-Hello
    new MessageRules(HelloId.TYPE)
  };

  private final int[] order;
  private final int[] places = new int[HelloId.TYPE + 1];

  private MessageRules(int... order) {
    this.order = order;
    for (int i = 0; i < order.length; i++) {
      places[order[i] & ~OPTIONAL] = i + 1;
    }
  }

  private static int may(int type) {
    return type | OPTIONAL;
  }

  static MessageRules of(MessageType type) {
    return ALL[type.code()];
  }

  /** Returns the place of an object in the order, from 1; 0 = it has no place in the message. */
  int place(int type) {
    return places[type];
  }

  /**
   * Verifies that all required objects are there. Some are required because another object is
   * there.
   */
  void requireComplete(MessageType type, int seen) throws GistFormatException {
    for (int object : order) {
      if (object < OPTIONAL && !has(seen, object)) {
        throw missing(object);
      }
    }
    boolean proposal = has(seen, StackProposal.TYPE);
    boolean configuration = has(seen, StackConfiguration.TYPE);
    if (configuration && !proposal) {
      throw missing(StackProposal.TYPE);
    }
    // A Confirm echoes the proposal. Only the first Confirm of an association must have a
    // configuration.
    if (proposal && !configuration && type != MessageType.CONFIRM) {
      throw missing(StackConfiguration.TYPE);
    }
    if (proposal && type != MessageType.QUERY && !has(seen, ResponderCookie.TYPE)) {
      throw missing(ResponderCookie.TYPE);
    }
  }

  /** Verifies the flags of the header against the type (appendix A.1). */
  static void requireFlags(RawHeader header, MessageType type) throws GistFormatException {
    boolean mayBeExplicit = type == MessageType.QUERY || type == MessageType.DATA;
    if (header.explicit() ? !mayBeExplicit : type == MessageType.QUERY) {
      throw common(GistError.INVALID_C_FLAG);
    }
    boolean mayAsk =
        type == MessageType.QUERY || type == MessageType.RESPONSE || type == MessageType.MA_HELLO;
    if (header.reply() ? !mayAsk : type == MessageType.QUERY) {
      throw common(GistError.INVALID_R_FLAG);
    }
    if (header.routed() && type != MessageType.DATA) {
      throw common(GistError.INVALID_E_FLAG);
    }
  }

  /**
   * Verifies the encapsulation against the type (section 5.5), and the objects that depend on it.
   */
  static void requireEncapsulation(GistMessage message, Encapsulation came)
      throws GistFormatException {
    MessageType type = message.type();
    boolean wrong =
        switch (type) {
          case QUERY -> !came.datagram();
          case MA_HELLO -> came.datagram();
          case CONFIRM -> came.datagram() && message.find(StackProposal.class).isPresent();
          case DATA -> message.header().explicit() && !came.datagram();
          case RESPONSE, ERROR -> false;
        };
    if (wrong) {
      throw new GistFormatException(
          GistError.INCORRECT_ENCAPSULATION, List.of(), type + " in " + came);
    }
    if (type == MessageType.DATA) {
      boolean present = message.find(NetworkLayerInfo.class).isPresent();
      if (present != came.datagram()) {
        throw present
            ? wrongType(GistError.INVALID_OBJECT_TYPE, NetworkLayerInfo.TYPE)
            : missing(NetworkLayerInfo.TYPE);
      }
    }
  }

  static boolean has(int seen, int type) {
    return (seen & 1 << type) != 0;
  }

  static GistFormatException common(GistError error) {
    return new GistFormatException(error, List.of(), error.words());
  }

  static GistFormatException wrongType(GistError error, int type) {
    return new GistFormatException(
        error, List.of(ErrorInfo.objectType(type)), error.words() + ": type " + type);
  }

  private static GistFormatException missing(int type) {
    return wrongType(GistError.MISSING_OBJECT, type);
  }
}
