// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.netserv.gist.sim.SimHost;
import org.netserv.gist.wire.Encapsulation;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.ErrorObject;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistFormatException;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.GistObject;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.OffendingMessage;
import org.netserv.gist.wire.SessionId;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/**
 * Makes a host insist on Stack-Configuration-Data in each Confirm that echoes a Stack-Proposal, as
 * another implementation of GIST does. Such a host refuses a Confirm without the data with error
 * 9/2, and Data of its session with error 5/0, until a right Confirm comes.
 */
final class StrictPeer {
  /** Sessions with a refused last Confirm. */
  private final Set<SessionId> refused = new HashSet<>();

  /** The messages that are answered with an Error. */
  enum Answers {
    CONFIRM_AND_DATA,
    DATA,
    NOTHING
  }

  private final Answers answers;

  int confirms;
  int data;

  private StrictPeer(Answers answers) {
    this.answers = answers;
  }

  /** Makes the host strict. */
  static StrictPeer at(SimHost host, Answers answers) {
    StrictPeer strict = new StrictPeer(answers);
    host.connections.instead = strict::judge;
    return strict;
  }

  /** Makes the host take all Confirms and have no state for any Data. */
  static StrictPeer forgetful(SimHost host) {
    StrictPeer strict = new StrictPeer(Answers.DATA);
    host.connections.instead = strict::forget;
    return strict;
  }

  private Optional<byte[]> forget(byte[] bytes) {
    if (decoded(bytes).type() != MessageType.DATA) {
      return Optional.empty();
    }
    data++;
    return Optional.of(error(GistError.NO_ROUTING_STATE, bytes, List.of()));
  }

  private Optional<byte[]> judge(byte[] bytes) {
    GistMessage message = decoded(bytes);
    if (message.type() == MessageType.CONFIRM) {
      return confirm(bytes, message);
    }
    if (message.type() == MessageType.DATA && refused.contains(session(message))) {
      data++;
      return Optional.of(
          answers == Answers.NOTHING
              ? hello()
              : error(GistError.NO_ROUTING_STATE, bytes, List.of()));
    }
    return Optional.empty();
  }

  private Optional<byte[]> confirm(byte[] bytes, GistMessage message) {
    boolean incomplete =
        message.find(StackProposal.class).isPresent()
            && message.find(StackConfiguration.class).isEmpty();
    if (!incomplete) {
      refused.remove(session(message));
      return Optional.empty();
    }
    confirms++;
    refused.add(session(message));
    return Optional.of(
        answers == Answers.CONFIRM_AND_DATA
            ? error(
                GistError.MISSING_OBJECT,
                bytes,
                List.of(ErrorInfo.objectType(StackConfiguration.TYPE)))
            : hello());
  }

  /** Returns an MA-Hello without meaning. */
  private static byte[] hello() {
    return new byte[] {1, 1, 0, 2, 0, 0, 5, (byte) 0x80, 0, 10, 0, 1, 0, 0, 0, 0};
  }

  private static byte[] error(GistError error, byte[] about, List<ErrorInfo> info) {
    ErrorObject object =
        ErrorMessages.object(error, OffendingMessage.of(about), Encapsulation.C_MODE, info, "");
    return ErrorMessages.message(object, 64, null).encode();
  }

  private static SessionId session(GistMessage message) {
    return message.find(SessionId.class).orElseThrow();
  }

  private static GistMessage decoded(byte[] bytes) {
    try {
      return GistMessage.decode(bytes, Encapsulation.C_MODE);
    } catch (GistFormatException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Returns a Confirm in its earlier form: the data only in the first Confirm of an association.
   */
  static byte[] withoutData(byte[] bytes, boolean first) {
    GistMessage message = decoded(bytes);
    if (first || message.type() != MessageType.CONFIRM) {
      return bytes;
    }
    List<GistObject> objects = new ArrayList<>(message.objects());
    objects.removeIf(StackConfiguration.class::isInstance);
    return new GistMessage(message.header(), objects).encode();
  }
}
