// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/** The actions of Querying-SM. {@link QueryingTransitions} says when; {@link QueryActions} does. */
enum QueryAction {
  /** Inactive_QNode starts anew. */
  TOUCH,
  /** Keep the message; Queries ask for an association if a datagram may be too small. */
  KEEP,
  /** Keep the message; Queries ask for an association if it needs one. */
  KEEP_HELD,
  /** Keep the message; Queries ask for an association. */
  KEEP_UNSUITED,
  /** Keep the message until the association is connected. */
  KEEP_CONNECTING,
  TRANSMIT,
  /** Begin a handshake with a Query; No_Response starts, Refresh_QNode stops. */
  BEGIN,
  /** No_Response starts again. */
  WAIT,
  /** Send a Query in place of the last; No_Response starts again. */
  REPEAT,
  /** Send the next Query; No_Response starts with the next value. */
  RETRANSMIT,
  /** Ask for an association, without a payload. */
  SHORTEN,
  /** Ask for the association that the first waiting message needs. */
  ASK,
  NOTE_BAD,
  NOTE_TENTATIVE,
  /** The next message begins a handshake, too. */
  DOUBT,
  /** No_Response and Refresh_QNode stop. */
  SLEEP,
  /** The next messages wait for the Response. */
  HOLD,
  END_HOLD,
  /** Send the held messages to the known peer. */
  RELEASE,
  /** The peer has state again, if it takes the Confirm. */
  CONFIRMED,
  /** Take the peer; No_Response stops, Refresh_QNode and the validity start. */
  ESTABLISH,
  DELIVER,
  /** Send the waiting messages. */
  FLUSH,
  /** The peer has shown that it has routing state. */
  PROVED,
  /** Note the refusal of the Confirm. */
  NOTE_REFUSAL,
  /** Let the messages wait again that the peer certainly did not take. */
  TAKE_BACK,
  /** As TAKE_BACK, and tell the loss of the others. */
  RECALL,
  /** Forget the transport, call the peer BAD, and repeat what it may not have. */
  RESTART,
  /** Forget what is too old to be refused. */
  AGE,
  /** Refresh_QNode ends soon. */
  REFRESH_SOON,
  /** Leave TLS, and take back what was sent by it. */
  LEAVE_TLS,
  /** Call the peer BAD. */
  TELL_BAD,
  /** Fail the late requests with NO_RESPONSE. */
  FAIL_UNANSWERED,
  /** Fail the late requests with ASSOCIATION_LATE. */
  FAIL_UNCONNECTED,
  TELL_LAST_NODE,
  COUNT_FAILED,
  COUNT_INACTIVE,
  COUNT_EXPIRED,
  /** Each END tells the application why, and removes the state. */
  END_NO_ROUTE,
  END_NO_RESPONSE,
  END_STATELESS,
  END_LAST_NODE,
  END_REFUSED,
  END_NO_ASSOCIATION,
  /** Remove the state; its messages are with another. */
  LEAVE,
  /** Cannot happen here: count it, do nothing. */
  UNEXPECTED
}
