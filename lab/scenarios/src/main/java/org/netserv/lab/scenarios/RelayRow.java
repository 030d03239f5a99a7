// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.ArrayList;
import java.util.List;

/**
 * One combination of client leg and options of {@code turnutils_uclient}.
 *
 * @param leg from the client to the relay
 * @param what options in words
 * @param sixPeer whether the peer is reached by IPv6
 * @param end the end that is right
 * @param options besides those of the leg
 */
record RelayRow(RelayLeg leg, String what, boolean sixPeer, End end, List<String> options) {
  /** An end that a row may have. The reasons are in the source of the client, coturn 4.6.1. */
  enum End {
    /** Each message has come back. */
    ALL("", "") {
      @Override
      boolean holds(RelayResult result) {
        return result.sent() > 0 && result.back() == result.sent();
      }
    },
    /** The messages of one direction were counted. */
    ONE_WAY("the client never reads at the end that it plays as peer", "") {
      @Override
      boolean holds(RelayResult result) {
        return result.sent() > 0 && 2 * result.back() == result.sent();
      }
    },
    /** Nothing has come back. */
    NOTHING("the client asks for no permission, and Send needs one", "NO_PERMISSION") {
      @Override
      boolean holds(RelayResult result) {
        return result.sent() > 0 && result.back() == 0;
      }
    },
    /** The client has given up. */
    NO_START("the client begins TLS on a socket that it has not connected", "") {
      @Override
      boolean holds(RelayResult result) {
        return result.sent() <= 0;
      }
    },
    /** The second channel number for one peer was refused. */
    NUMBER_REFUSED(
        "the client binds one peer to two numbers of chance: 400, and it gives up", "BAD_REQUEST") {
      @Override
      boolean holds(RelayResult result) {
        return result.said().contains("channel bind: error 400");
      }
    },
    /** A number of a data connection was refused. */
    CONNECTION_REFUSED(
        "the client binds connections of chance: 400, and it waits for them", "NO_CONNECTION") {
      @Override
      boolean holds(RelayResult result) {
        return result.said().contains("connection bind error 400");
      }
    },
    /**
     * The client has damaged what it sends. It was told of an error, or waited for the answer to a
     * request that was dropped, or went on. No message came back that it has not sent.
     */
    DAMAGED("the client overwrites bytes of one message in ten", "MALFORMED") {
      @Override
      boolean holds(RelayResult result) {
        return result.back() <= result.sent();
      }
    },
    /**
     * The client has sent and closed its sockets. It closes all of them once it has sent more than
     * five messages within one call of its timer. A call that is late by six intervals sends that
     * many for the first socket alone, and none has had an answer by then. So on a busy machine
     * nothing may come back, from any server.
     */
    BROKEN_OFF("the client closes its sockets in the middle", "LEG_LOST") {
      @Override
      boolean holds(RelayResult result) {
        return result.sent() > 0 && result.back() <= result.sent();
      }
    };

    private final String because;
    private final String counter;

    End(String because, String counter) {
      this.because = because;
      this.counter = counter;
    }

    /** Returns the relay's counter that such an end moves on a stream leg, empty = none. */
    String counter() {
      return counter;
    }

    /** Returns why not each message comes back. */
    String because() {
      return because;
    }

    abstract boolean holds(RelayResult result);
  }

  /** Returns the name by which {@code --only} finds the row. */
  String name() {
    return leg.text() + ", " + what;
  }

  /** Returns all options that choose this combination. */
  List<String> all() {
    List<String> all = new ArrayList<>(leg.options());
    all.addAll(options);
    return all;
  }

  /** Tells whether the client is its own peer, behind another allocation or beside one. */
  boolean isOwnPeer() {
    return options.contains("-y") || options.contains("-T") || options.contains("-P");
  }

  /** Tells whether the row itself has the client's address. */
  boolean hasAddress() {
    return options.contains("-L");
  }

  /** Tells whether the client ends sessions of TLS or DTLS in the middle. */
  boolean endsSessions() {
    return options.contains("-M") && leg.isSecure();
  }
}
