// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.Node;
import org.netserv.lab.testbed.topology.TopologyReader;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/**
 * Checks that the slice request is valid, and that its script makes the network of the topology.
 */
final class ExportTest {
  private static final String ARCHIVE = "https://files.example/slice.tar.gz?a=1&b=2";

  @TempDir Path directory;

  private static Topology topology(String name) throws Exception {
    return TopologyReader.read(LabHome.file("topologies/" + name + ".yaml"));
  }

  private static void validate(String xml) throws Exception {
    SchemaFactory factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
    Schema schema =
        factory.newSchema(
            new StreamSource(ExportTest.class.getResourceAsStream("request.xsd"), "request.xsd"));
    schema.newValidator().validate(new StreamSource(new StringReader(xml)));
  }

  @Test
  void everyTopologyOfTheLabIsAValidRequestWithAScriptThatReads() throws Exception {
    int written = 0;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(LabHome.file("topologies"), "*.yaml")) {
      for (Path file : files) {
        Topology topology = TopologyReader.read(file);
        validate(SliceRequest.write(topology, ARCHIVE));
        Path script = directory.resolve("install.sh");
        Files.writeString(script, InstallScript.write(topology));
        Shell.run("sh", "-n", script.toString());
        written++;
      }
    }
    assertTrue(written >= 10, written + " topologies");
  }

  @Test
  void saysWhatTheTopologySays() throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(
                    SliceRequest.write(topology("path-lossy"), ARCHIVE)
                        .getBytes(StandardCharsets.UTF_8)));
    assertEquals(7, document.getElementsByTagName("node").getLength());
    assertEquals(6, document.getElementsByTagName("link").getLength());
    assertEquals(12, document.getElementsByTagName("interface_ref").getLength());
    assertEquals(24, document.getElementsByTagName("ip").getLength());
    assertEquals(8, document.getElementsByTagName("property").getLength());
    Element install = (Element) document.getElementsByTagName("install").item(0);
    assertEquals(ARCHIVE, install.getAttribute("url"));
    Element execute = (Element) document.getElementsByTagName("execute").item(1);
    assertEquals("sh /local/netserv-slice/install.sh a", execute.getAttribute("command"));
    Element ip = (Element) document.getElementsByTagName("ip").item(2);
    assertEquals("192.0.2.1", ip.getAttribute("address"));
    assertEquals("255.255.255.0", ip.getAttribute("netmask"));
    Element v6 = (Element) document.getElementsByTagName("ip").item(3);
    assertEquals("ffff:ffff:ffff:ffff:0:0:0:0", v6.getAttribute("netmask"));
    Element property = (Element) document.getElementsByTagName("property").item(0);
    assertEquals("0.1", property.getAttribute("packet_loss"));
    assertEquals("2.0", property.getAttribute("latency"));
    List<String> lost = SliceRequest.lost(topology("path-lossy"));
    assertEquals(4, lost.size());
    assertTrue(lost.contains("a/east - p1/west: reorder 10.0 %, duplicate 10.0 %"), "" + lost);
    assertEquals(List.of(), SliceRequest.lost(topology("path")));
  }

  /** Checks that the schema refuses wrong requests, so that it is worth something. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type=\"request\" | type=\"manifest\"",
        "<interface_ref client_id=\"a:west\"/> | <interface_ref client_id=\"a:north\"/>",
        "<interface_ref client_id=\"a:west\"/> | ''",
        "<interface_ref client_id=\"a:west\"/> | <interface_ref client_id=\"a:east\"/>",
        "<node client_id=\"b\" | <node client_id=\"a\"",
        "client_id=\"a:west\"> | >",
        "address=\"192.0.2.1\" | address=\"a\"",
        "type=\"ipv4\" | type=\"ipv5\"",
        "<sliver_type name=\"default-vm\"/> | <sliver_type/>",
        "install_path=\"/local\" | ''",
        "shell=\"sh\" | ''",
        "rspec/3\" | rspec/2\"",
      })
  void theSchemaRefuses(String part, String wrong) throws Exception {
    String right = SliceRequest.write(topology("path"), ARCHIVE);
    String broken = right.replace(part, wrong);
    assertFalse(broken.equals(right), "the case changes something");
    assertThrows(SAXException.class, () -> validate(broken));
  }

  /**
   * Runs the script on machines that have only the addresses of the testbed. The script alone must
   * make the path. It runs twice, as after a reboot that did not happen. Needs root.
   */
  @Test
  void theScriptMakesTheNetwork() throws Exception {
    Topology whole = topology("path-nat");
    Map<String, Node> bare = new LinkedHashMap<>();
    whole
        .nodes()
        .forEach(
            (name, node) ->
                bare.put(
                    name,
                    new Node(
                        name, v4(node), List.of(), Map.of(), false, List.of(), List.of(),
                        List.of())));
    Path script = directory.resolve("install.sh");
    Files.writeString(script, InstallScript.write(whole));
    PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    try (Testbed testbed = Testbed.temporary(new Topology("labtest", bare, whole.links()), out)) {
      for (int i = 0; i < 2; i++) {
        for (String node : bare.keySet()) {
          testbed.run(node, "env", "NETSERV_ONLY=network", "sh", script.toString(), node);
        }
      }
      testbed.run("publisher", "ping", "-c", "1", "-W", "5", "2001:db8:9::10");
      testbed.run("user", "ping", "-c", "1", "-W", "5", "192.0.2.10");
      String rules = testbed.run("nat", "iptables-nft", "-t", "nat", "-S", "POSTROUTING");
      assertEquals(1, rules.lines().filter(line -> line.contains("MASQUERADE")).count(), rules);
      assertEquals("", testbed.run("a", "ip", "route", "show", "default"), "stays the testbed's");
      assertThrows(
          java.io.IOException.class, () -> testbed.run("a", "sh", script.toString(), "nobody"));
    }
  }

  private static Map<String, List<org.netserv.lab.testbed.topology.Address>> v4(Node node) {
    Map<String, List<org.netserv.lab.testbed.topology.Address>> interfaces = new LinkedHashMap<>();
    node.interfaces()
        .forEach(
            (name, addresses) ->
                interfaces.put(name, addresses.stream().filter(a -> !a.isV6()).toList()));
    return interfaces;
  }

  @Test
  void namesNoHostOfItsOwn() throws Exception {
    String script = InstallScript.write(topology("path"));
    assertFalse(script.contains("://"), "everything comes from the archive that is named");
  }
}
