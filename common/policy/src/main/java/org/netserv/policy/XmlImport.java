// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;
import org.netserv.values.PublisherKeys;

/**
 * Reads policies in the XML form, once, to be written as YAML. {@code
 * docs/operator-guide-policy-import.md} describes the elements. Document types, entities but the
 * five of XML itself, and unknown elements or attributes are refused. A part that cannot be carried
 * over is an error, never left out.
 */
public final class XmlImport {
  private static final String ROOT = "policies";
  private static final String PUBLISHER = "publisher";

  private final Path file;
  private final XMLStreamReader xml;

  private XmlImport(Path file, XMLStreamReader xml) {
    this.file = file;
    this.xml = xml;
  }

  /** Reads a file. Every {@link PolicyException} names a line. */
  public static List<PublisherDraft> read(Path file) throws PolicyException {
    return read(file, PolicyFile.bytes(file));
  }

  /**
   * Reads a text.
   *
   * @param file for messages
   */
  static List<PublisherDraft> read(Path file, byte[] content) throws PolicyException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);

    try {
      XMLStreamReader xml = factory.createXMLStreamReader(new ByteArrayInputStream(content));
      return new XmlImport(file, xml).policies();
    } catch (XMLStreamException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNumber();
      throw new PolicyException(file, Math.max(line, 0), "$", "not XML of this form");
    }
  }

  private List<PublisherDraft> policies() throws XMLStreamException, PolicyException {
    if (!nextElement() || !xml.getLocalName().equals(ROOT)) {
      throw error("the root element is not " + ROOT);
    }
    attributes(Set.of());
    List<PublisherDraft> publishers = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>();
    while (nextElement()) {
      if (!xml.getLocalName().equals(PUBLISHER)) {
        throw error("unknown element " + xml.getLocalName());
      }
      PublisherDraft publisher = publisher();
      if (!names.add(publisher.name())) {
        throw error("a second publisher " + publisher.name());
      }
      publishers.add(publisher);
    }
    if (nextElement()) {
      throw error("an element behind the root");
    }
    return publishers;
  }

  private PublisherDraft publisher() throws XMLStreamException, PolicyException {
    attributes(Set.of("name"));
    String name = xml.getAttributeValue(null, "name");
    if (name == null || !name.matches(PublisherPolicy.NAME)) {
      throw error("a publisher's name is " + PublisherPolicy.NAME);
    }
    List<PublicKey> keys = new ArrayList<>();
    List<Prefix> prefixes = new ArrayList<>();
    List<PortRule> ports = new ArrayList<>();
    List<ConnectRule> connect = new ArrayList<>();
    List<ConnectRule> listen = new ArrayList<>();
    List<ConnectRule> take = new ArrayList<>();
    Set<Grant> grants = new LinkedHashSet<>();
    List<String> signers = new ArrayList<>();
    while (nextElement()) {
      String element = xml.getLocalName();
      boolean port = element.equals("port");
      attributes(port ? Set.of("proto") : Set.of());
      String protocol = xml.getAttributeValue(null, "proto");
      String text = xml.getElementText().strip();
      try {
        switch (element) {
          case "key" -> keys.add(PublisherKeys.readPublic(text));
          case "prefix" -> prefixes.add(Prefix.parse(text));
          case "port" -> ports.add(port(protocol, text));
          case "connect" -> connect.add(ConnectRule.parse(text));
          case "listen" -> listen.add(ConnectRule.parse(text));
          case "take" -> take.add(ConnectRule.parse(text));
          case "grant" -> grants.add(grant(text));
          case "signer" -> signers.add(text);
          default -> throw error("unknown element " + element);
        }
      } catch (BadValueException e) {
        throw error(element + ": " + e.getMessage());
      }
    }
    if (keys.isEmpty()) {
      throw error("publisher " + name + " has no key");
    }
    return new PublisherDraft(
        name, keys, prefixes, ports, connect, listen, take, List.of(), false, grants, signers);
  }

  /** Reads a port rule. An empty element grants all ports of the protocol. */
  private static PortRule port(String protocol, String ports) throws BadValueException {
    if (protocol == null) {
      throw new BadValueException("the attribute proto is missing");
    }
    return PortRule.parse(ports.isEmpty() ? protocol : protocol + "/" + ports);
  }

  private static Grant grant(String text) throws BadValueException {
    for (Grant grant : Grant.values()) {
      if (grant.text().equals(text)) {
        return grant;
      }
    }
    throw new BadValueException("not a grant: " + text);
  }

  /**
   * Moves to the next element that begins. Returns false at the end of the surrounding element, or
   * of the document.
   */
  private boolean nextElement() throws XMLStreamException, PolicyException {
    while (xml.hasNext()) {
      switch (xml.next()) {
        case XMLStreamConstants.START_ELEMENT -> {
          return true;
        }
        case XMLStreamConstants.END_ELEMENT, XMLStreamConstants.END_DOCUMENT -> {
          return false;
        }
        case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
            throw error("document types and entities are not read");
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
          if (!xml.isWhiteSpace()) {
            throw error("text between elements");
          }
        }
        default -> {
          // Comments, spaces and processing instructions say nothing here.
        }
      }
    }
    return false;
  }

  private void attributes(Set<String> known) throws PolicyException {
    for (int i = 0; i < xml.getAttributeCount(); i++) {
      if (!known.contains(xml.getAttributeLocalName(i))) {
        throw error("unknown attribute " + xml.getAttributeLocalName(i));
      }
    }
  }

  private PolicyException error(String reason) {
    return new PolicyException(file, xml.getLocation().getLineNumber(), "$", reason);
  }
}
