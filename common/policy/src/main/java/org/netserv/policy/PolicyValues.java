// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.net.InetAddress;
import java.security.PublicKey;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;
import org.netserv.values.PublisherKeys;
import org.netserv.values.ServiceIdPrefix;

/** Texts in policy files that stand for something. */
final class PolicyValues {
  private PolicyValues() {}

  private interface Reader<T> {
    T read(String text) throws BadValueException;
  }

  static SimpleModule module() {
    SimpleModule module = new SimpleModule();
    add(module, Prefix.class, Prefix::parse);
    add(module, PortRule.class, PortRule::parse);
    add(module, ConnectRule.class, ConnectRule::parse);
    add(module, ServiceIdPrefix.class, ServiceIdPrefix::parse);
    add(module, InetAddress.class, Addresses::parse);
    add(module, PublicKey.class, PublisherKeys::readPublic);
    return module;
  }

  private static <T> void add(SimpleModule module, Class<T> type, Reader<T> reader) {
    module.addDeserializer(
        type,
        new StdDeserializer<T>(type) {
          private static final long serialVersionUID = 1L;

          @Override
          public T deserialize(JsonParser parser, DeserializationContext context)
              throws IOException {
            try {
              return reader.read(parser.getText());
            } catch (BadValueException e) {
              throw new JsonMappingException(parser, e.getMessage(), e);
            }
          }
        });
  }
}
