// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.export;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.netserv.lab.testbed.topology.Address;
import org.netserv.lab.testbed.topology.Impairment;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.End;
import org.netserv.lab.testbed.topology.Topology.Link;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * A topology as a GENI RSpec, version 3, type request. It has nodes, interfaces with addresses,
 * links, and on every node the archive to install and the script to execute.
 *
 * <pre>
 *   rspec type=request
 *     node client_id=a
 *       sliver_type name=default-vm
 *       services: install url= install_path=/local, execute command=
 *       interface client_id=a:west: ip address= netmask= type=ipv4
 *     link client_id=link0
 *       interface_ref client_id=a:west ...
 *       property source_id= dest_id= latency= packet_loss=      when the link is impaired
 * </pre>
 *
 * The format has no place for reordering and duplication. {@link #lost} names the lost properties.
 */
public final class SliceRequest {
  /** Directory where a slice's machine unpacks archives. */
  static final String LOCAL = "/local";

  private static final String NAMESPACE = "http://www.geni.net/resources/rspec/3";
  private static final String XSI = "http://www.w3.org/2001/XMLSchema-instance";

  private final Topology topology;
  private final String archive;
  private final XMLStreamWriter xml;
  private int depth;

  private SliceRequest(Topology topology, String archive, XMLStreamWriter xml) {
    this.topology = topology;
    this.archive = archive;
    this.xml = xml;
  }

  /**
   * Writes the document.
   *
   * @param archive URL of the archive that {@link InstallScript} describes
   */
  public static String write(Topology topology, String archive) {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
      new SliceRequest(topology, archive, xml).document();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("a string takes everything", e);
    }
    return text.append('\n').toString();
  }

  /**
   * Returns the properties of the topology that the request cannot express, in words. Empty if
   * there are none.
   */
  public static List<String> lost(Topology topology) {
    List<String> lost = new ArrayList<>();
    for (Link link : topology.links()) {
      Impairment all = link.impairment();
      Impairment rest =
          new Impairment(
              all.dropEvery(), 0, 0, all.jitter(), all.reorder(), all.duplicate(), all.seed());
      if (!rest.text().isEmpty()) {
        lost.add("%s - %s: %s".formatted(link.a(), link.b(), rest.text()));
      }
    }
    return lost;
  }

  private void document() throws XMLStreamException {
    xml.writeStartDocument("UTF-8", "1.0");
    xml.writeCharacters("\n");
    xml.writeComment(" lab " + topology.name() + ": written by netserv lab export ");
    open("rspec");
    xml.writeDefaultNamespace(NAMESPACE);
    xml.writeNamespace("xsi", XSI);
    xml.writeAttribute("xsi", XSI, "schemaLocation", NAMESPACE + " " + NAMESPACE + "/request.xsd");
    xml.writeAttribute("type", "request");
    for (Node node : topology.nodes().values()) {
      node(node);
    }
    for (int i = 0; i < topology.links().size(); i++) {
      link("link" + i, topology.links().get(i));
    }
    close();
    xml.writeEndDocument();
    xml.flush();
  }

  private void node(Node node) throws XMLStreamException {
    open("node", "client_id", node.name(), "exclusive", "false");
    empty("sliver_type", "name", "default-vm");
    open("services");
    empty("install", "url", archive, "install_path", LOCAL);
    empty("execute", "shell", "sh", "command", InstallScript.command(node.name()));
    close();
    for (Map.Entry<String, List<Address>> entry : node.interfaces().entrySet()) {
      open("interface", "client_id", id(new End(node.name(), entry.getKey())));
      for (Address address : entry.getValue()) {
        empty(
            "ip",
            "address",
            address.ip().getHostAddress(),
            "netmask",
            ExportedNetwork.mask(address).getHostAddress(),
            "type",
            address.isV6() ? "ipv6" : "ipv4");
      }
      close();
    }
    close();
  }

  private void link(String name, Link link) throws XMLStreamException {
    open("link", "client_id", name);
    empty("interface_ref", "client_id", id(link.a()));
    empty("interface_ref", "client_id", id(link.b()));
    Impairment impairment = link.impairment();
    if (impairment.delay() > 0 || impairment.loss() > 0) {
      property(link.a(), link.b(), impairment);
      property(link.b(), link.a(), impairment);
    }
    empty("link_type", "name", "lan");
    close();
  }

  private void property(End from, End to, Impairment impairment) throws XMLStreamException {
    empty(
        "property",
        "source_id",
        id(from),
        "dest_id",
        id(to),
        "latency",
        Double.toString(impairment.delay()),
        "packet_loss",
        Double.toString(impairment.loss()));
  }

  private static String id(End end) {
    return end.node() + ":" + end.interfaceName();
  }

  private void open(String name, String... attributes) throws XMLStreamException {
    line();
    depth++;
    xml.writeStartElement(name);
    attributes(attributes);
  }

  private void close() throws XMLStreamException {
    depth--;
    line();
    xml.writeEndElement();
  }

  private void empty(String name, String... attributes) throws XMLStreamException {
    line();
    xml.writeEmptyElement(name);
    attributes(attributes);
  }

  private void attributes(String... pairs) throws XMLStreamException {
    for (int i = 0; i < pairs.length; i += 2) {
      xml.writeAttribute(pairs[i], pairs[i + 1]);
    }
  }

  private void line() throws XMLStreamException {
    xml.writeCharacters("\n" + "  ".repeat(depth));
  }
}
