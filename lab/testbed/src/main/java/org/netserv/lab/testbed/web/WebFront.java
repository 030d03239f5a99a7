// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.testbed.Tool;

/** A way in which users find an instance of a service. It sees by itself which instances listen. */
public interface WebFront {
  /** Returns its name in tables. */
  String name();

  /** Opens it, and returns when the instances that listen can be found. */
  void open(List<WebInstance> instances) throws IOException;

  /** Returns the name or address of the service for users. */
  String host();

  /** Starts a command of the shell as the users see the network. */
  Tool users(String name, String command) throws IOException;

  /** Has no more users led to an instance, which goes on to serve. */
  void drain(WebInstance instance) throws IOException;

  /** Has users led to an instance again as soon as it listens. */
  void resume(WebInstance instance) throws IOException;

  /** Ends it. */
  void close() throws IOException;
}
