// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;

/**
 * The little of XML-RPC that a notification needs: a call with one struct of strings, and whether
 * the answer is a fault.
 *
 * <pre>
 *   methodCall: methodName, params / param / value / struct / member*: name, value / string
 *   methodResponse: params | fault / value / struct / member*: faultCode int, faultString string
 * </pre>
 */
final class XmlRpc {
  private static final int MAX_DEPTH = 32;

  private XmlRpc() {}

  static byte[] call(String method, Map<String, String> members) throws XMLStreamException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    XMLStreamWriter xml =
        XMLOutputFactory.newDefaultFactory()
            .createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
    xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
    xml.writeStartElement("methodCall");
    element(xml, "methodName", method);
    for (String name : new String[] {"params", "param", "value", "struct"}) {
      xml.writeStartElement(name);
    }
    for (Map.Entry<String, String> member : members.entrySet()) {
      xml.writeStartElement("member");
      element(xml, "name", member.getKey());
      xml.writeStartElement("value");
      element(xml, "string", member.getValue());
      xml.writeEndElement();
      xml.writeEndElement();
    }
    xml.writeEndDocument();
    xml.close();
    return out.toByteArray();
  }

  /**
   * Reads an answer.
   *
   * @return the fault's code when it is a fault (0 when it has none that reads)
   * @throws XMLStreamException when it is not an XML-RPC answer
   */
  static Optional<Integer> fault(byte[] answer) throws XMLStreamException {
    XMLStreamReader xml = reader(answer);
    xml.nextTag();
    if (!xml.getLocalName().equals("methodResponse")) {
      throw new XMLStreamException("not a methodResponse");
    }
    xml.nextTag();
    if (!xml.isStartElement()) {
      throw new XMLStreamException("an empty methodResponse");
    }
    String kind = xml.getLocalName();
    if (!kind.equals("params") && !kind.equals("fault")) {
      throw new XMLStreamException("neither params nor fault");
    }
    int code = rest(xml);
    return kind.equals("fault") ? Optional.of(code) : Optional.empty();
  }

  /**
   * To the end, so that an answer cut off is not taken for whole; the first int on the way, or 0.
   */
  private static int rest(XMLStreamReader xml) throws XMLStreamException {
    int code = 0;
    int depth = 2;
    while (xml.hasNext()) {
      int event = xml.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        if (++depth > MAX_DEPTH) {
          throw new XMLStreamException("nested too deeply");
        }
        if (code == 0 && (xml.getLocalName().equals("int") || xml.getLocalName().equals("i4"))) {
          code = number(xml.getElementText());
          depth--;
        }
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
      }
    }
    return code;
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static XMLStreamReader reader(byte[] bytes) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    return factory.createXMLStreamReader(new ByteArrayInputStream(bytes));
  }

  private static void element(XMLStreamWriter xml, String name, String text)
      throws XMLStreamException {
    xml.writeStartElement(name);
    xml.writeCharacters(text);
    xml.writeEndElement();
  }
}
