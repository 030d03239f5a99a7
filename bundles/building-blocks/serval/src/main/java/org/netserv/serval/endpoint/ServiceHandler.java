// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.util.function.Function;

/** The program behind a service. Called on the thread of the endpoint, it must not block. */
@FunctionalInterface
public interface ServiceHandler {
  /** Returns the handler of a service that has streams alone. */
  static ServiceHandler ofStreams(Function<ServalStream, StreamHandler> program) {
    return new ServiceHandler() {
      @Override
      public FlowHandler accept(DatagramFlow flow) {
        return null;
      }

      @Override
      public StreamHandler acceptStream(ServalStream stream) {
        return program.apply(stream);
      }
    };
  }

  /** Returns the program of a new flow, which is open. Null breaks the flow off. */
  FlowHandler accept(DatagramFlow flow);

  /** Returns the program of a new stream, which is open. Null breaks the stream off. */
  default StreamHandler acceptStream(ServalStream stream) {
    return null;
  }

  /** Takes an unconnected datagram. Its payload is valid until this method returns. */
  default void received(Datagram datagram) {}
}
