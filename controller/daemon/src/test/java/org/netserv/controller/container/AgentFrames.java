// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.frames.FrameException;
import org.netserv.frames.Json;

/** The longest messages that a container can send, as the controller reads them. */
public final class AgentFrames {
  private static final int ROOM = 200;

  private AgentFrames() {}

  /** Returns a hello of as many modules as fit into a frame. */
  public static AgentHello hello() throws FrameException {
    ObjectNode hello = Json.object();
    hello.putObject("hello").put("protocol", "1.0");
    modules(hello, 170);
    return AgentHello.of(AgentText.of(checked(hello)));
  }

  /** Returns an event with texts that fill a frame. */
  public static AgentEvent event(int number) throws FrameException {
    String text = number + "x".repeat(AgentText.FRAME - ROOM);
    ObjectNode event = Json.object().put("event", "leak").put("module", "a.b").put("reason", text);
    return AgentEvent.of(AgentText.of(checked(event)));
  }

  /** Returns counters of so many modules that they fill a frame. */
  public static ObjectNode counters(int number) throws FrameException {
    ObjectNode reply = Json.object().put("id", number).put("ok", true);
    modules(reply, 170);
    return AgentText.of(checked(reply)).read(AgentShapes.reply("counters"));
  }

  private static void modules(ObjectNode to, int count) {
    ArrayNode list = to.putArray("modules");
    for (int i = 0; i < count; i++) {
      list.addObject()
          .put("module", "m".repeat(200) + i)
          .put("sha256", "0".repeat(64))
          .put("state", "running")
          .put("packets", i)
          .put("last", i);
    }
  }

  private static byte[] checked(ObjectNode message) {
    byte[] frame = Json.print(message);
    if (frame.length >= AgentText.FRAME || frame.length < AgentText.FRAME * 3 / 4) {
      throw new IllegalStateException(frame.length + " bytes are not the longest frame");
    }
    return frame;
  }
}
