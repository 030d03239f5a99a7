// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.netserv.frames.FrameException.Reason;

/**
 * JSON as a tree, read with limits: one object, no duplicate names, nesting at most {@value
 * #DEPTH}. No Java types are ever made from it.
 */
public final class Json {
  private static final int DEPTH = 32;
  private static final int NUMBER = 64;
  private static final int NAME = 1024;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH)
                  .maxNumberLength(NUMBER)
                  .maxNameLength(NAME)
                  .maxStringLength(FrameChannel.MAX)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // A peer chooses its names; the process must not keep them beyond the message.
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .build();

  private Json() {}

  /** An empty object. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** One JSON object in UTF-8. */
  public static ObjectNode parse(byte[] utf8) throws FrameException {
    JsonNode node;
    try {
      node = read(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
    } catch (CharacterCodingException e) {
      throw new FrameException(Reason.NOT_JSON, "not UTF-8", e);
    } catch (JsonProcessingException e) {
      throw new FrameException(Reason.NOT_JSON, e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of a string: there is none
    }
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw new FrameException(
        Reason.NOT_OBJECT, "a frame holds " + (node == null ? "nothing" : node.getNodeType()));
  }

  private static JsonNode read(String text) throws IOException {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        return null;
      }
      JsonNode node = JsonTree.read(parser);
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "something follows the value");
      }
      return node;
    }
  }

  /** The object in UTF-8. */
  public static byte[] print(ObjectNode object) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      JsonTree.write(object, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // into a string: there is none
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
