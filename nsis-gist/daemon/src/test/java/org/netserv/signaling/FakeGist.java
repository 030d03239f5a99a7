// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.GistService;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.values.BadValueException;

/** Keeps the messages of the application in order. The test decides their outcome. */
final class FakeGist implements GistService {
  /** Requests and responses, in the order in which they were sent. */
  final List<SendRequest> sent = new ArrayList<>();

  final List<Duration> lifetimes = new ArrayList<>();

  /**
   * Calls of verifyPeer, each with the number of messages sent before, the age and the patience.
   */
  final List<String> verified = new ArrayList<>();

  SignalingApplication application;
  String refuse;

  @Override
  public void register(SignalingApplication to) {
    application = to;
  }

  @Override
  public void sendMessage(SendRequest request) {
    if (refuse != null) {
      throw new IllegalArgumentException(refuse);
    }
    sent.add(request);
  }

  @Override
  public void setStateLifetime(int nslpId, Mri mri, SessionId session, Duration lifetime) {
    lifetimes.add(lifetime);
  }

  @Override
  public void invalidateRoutingState(
      int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent) {
    throw new AssertionError("nobody asks for that");
  }

  @Override
  public void verifyPeer(int nslpId, Mri mri, SessionId session, Duration age, Duration patience) {
    verified.add("before " + sent.size() + ": " + age + " " + patience);
  }

  NslpMessage message(int index) {
    try {
      return NslpMessage.decode(sent.get(index).payload());
    } catch (BadValueException e) {
      throw new AssertionError(e);
    }
  }

  Request request(int index) {
    return (Request) message(index);
  }

  Response response(int index) {
    return (Response) message(index);
  }

  /** The only message that was sent, as a response. */
  Response last() {
    return response(sent.size() - 1);
  }

  void status(int index, MessageStatus status, String detail) {
    application.messageStatus(sent.get(index).handle(), status, detail);
  }
}
