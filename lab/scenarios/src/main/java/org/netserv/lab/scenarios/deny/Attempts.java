// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import static org.netserv.lab.scenarios.deny.Attempt.LETHAL;
import static org.netserv.lab.scenarios.deny.Attempt.SLOW;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.scenarios.deny.Attempt.Argument;

/** Lists all attempts, in the order in which they are made. */
final class Attempts {
  private static final String[] FILES = {"mount", "landlock", "uid", "capabilities", "user"};
  private static final String[] SOCKETS = {"mount", "uid", "capabilities", "user"};

  /**
   * A domain of Landlock hides the processes outside of it, even one with rules for ports alone.
   */
  private static final String[] PROCESSES = {
    "pid", "mount", "landlock", "landlock-net", "uid", "capabilities", "user"
  };

  private static final Argument ADDED = ground -> "" + ground.neighboursStore("added");

  private static final int MANAGEMENT = 8088;
  private static final int TCP = 8080;
  private static final int UDP = 8081;
  private static final int CLOSED = 8082;

  /** TCP port that Landlock allows to all containers, for their loopback. */
  private static final int LOOPBACK = 65_534;

  /** Connections that the publisher may take, and a port beside them. */
  static final String TAKEN = "9100:8090,9102:8092";

  private static final int TAKEN_PORT = 9102;
  private static final int BESIDE_TAKEN = 9101;

  /** Needs a second processor: on one alone, nothing runs between the check and the copy. */
  static final String RACE = "ring: changed after the check";

  static final int SINK = 9999;

  private final Sights sights;

  private Attempts(Sights sights) {
    this.sights = sights;
  }

  static List<Attempt> all(Sights sights) {
    Attempts attempts = new Attempts(sights);
    List<Attempt> all = new ArrayList<>();
    all.addAll(attempts.files());
    all.addAll(neighbours());
    all.addAll(attempts.ports());
    all.addAll(addressesOfTheNode());
    all.addAll(attempts.taken());
    all.addAll(sockets());
    all.addAll(attempts.programs());
    all.addAll(attempts.processes());
    all.addAll(attempts.verdicts());
    all.addAll(attempts.relays());
    all.addAll(attempts.answers());
    all.addAll(attempts.rules());
    all.addAll(attempts.bombs());
    all.addAll(attempts.control());
    return all;
  }

  private List<Attempt> files() {
    Argument secret = ground -> ground.secret().toString();
    Argument beside = ground -> ground.secret() + ".new";
    Argument shared = ground -> "/tmp/netserv-lab-deny";
    return List.of(
        Attempt.of("read a secret file", "ReadFile", secret, FILES),
        Attempt.of("  by a symbolic link", "ReadThroughLink", secret, FILES),
        Attempt.of("  by /proc/self/root", "ReadFile", g -> "/proc/self/root" + g.secret(), FILES),
        Attempt.of(
            "  by another's /proc/PID/root",
            "ReadFile",
            g -> "/proc/" + sights.root(g) + "/root" + g.secret(),
            PROCESSES),
        Attempt.of("write a file beside it", "WriteFile", beside, FILES)
            .judged(Sights.removes(beside)),
        Attempt.of("write to /tmp", "WriteFile", shared, FILES).judged(Sights.removes(shared)));
  }

  private static List<Attempt> neighbours() {
    return List.of(
        Attempt.of("read a neighbour's file", "ReadFile", g -> "" + g.neighboursFile(), FILES),
        Attempt.of("  its module's classes", "ReadFile", g -> "" + g.neighboursBundle(), FILES),
        Attempt.of("  its store", "ReadFile", g -> "" + g.neighboursStore("kept"), PROCESSES),
        Attempt.of("write to its store", "WriteFile", ADDED, PROCESSES)
            .judged(Sights.removes(ADDED)),
        Attempt.of("read its ring by mem", "ReadMemory", g -> "" + g.pid(Ground.VICTIM), PROCESSES),
        Attempt.of(
            "  its ring by pktio's descriptors",
            "ListDescriptors",
            g -> "" + g.pktio(Ground.VICTIM),
            PROCESSES),
        socket("admin"),
        socket("spawner"),
        socket("sigio"),
        socket("signaling"));
  }

  private static Attempt socket(String name) {
    Argument path = ground -> ground.root().resolve("run/netserv/" + name + ".sock").toString();
    return Attempt.of("connect to " + name + ".sock", "ConnectUnix", path, SOCKETS);
  }

  private List<Attempt> ports() {
    return List.of(
        Attempt.of("TCP listen off-list", "TcpListen", g -> "" + TCP, "landlock-net", "net")
            .meanwhile(g -> g.user().ask("tcp " + g.nodeAddress() + " " + TCP + " 200")),
        Attempt.of("  on a port of its loopback", "TcpListen", g -> "" + LOOPBACK, "net")
            .meanwhile(g -> g.user().ask("tcp " + g.nodeAddress() + " " + LOOPBACK + " 200")),
        Attempt.of("UDP bind off-list", "UdpListen", g -> "" + UDP, "net")
            .meanwhile(g -> g.user().ask("udp " + g.nodeAddress() + " " + UDP + " 200 x")),
        Attempt.of(
            "TCP connect off-list",
            "TcpConnect",
            g -> g.server() + " 80",
            "landlock-net",
            "rules",
            "net"),
        Attempt.of(
            "  to a port as of its loopback",
            "TcpConnect",
            g -> g.server() + " " + LOOPBACK,
            "rules",
            "net"),
        Attempt.of("UDP send off-list", "UdpSend", g -> g.server() + " " + SINK, "rules", "net")
            .judged(sights.arrives()),
        Attempt.of(
                "UDP send off-list, by sockets of io",
                "IoSend",
                g -> g.server() + " " + SINK,
                "rules",
                "net")
            .judged(sights.arrives()),
        Attempt.of("UDP bind off-list, by sockets of io", "IoListen", g -> "" + UDP, "net")
            .meanwhile(g -> g.user().ask("udp " + g.nodeAddress() + " " + UDP + " 200 x")));
  }

  private static List<Attempt> addressesOfTheNode() {
    return List.of(
        Attempt.of(
            "UDP to the node, by sockets of io",
            "IoReach",
            g -> g.nodeAddress() + " " + CLOSED,
            "rules",
            "net"),
        Attempt.of(
            "  to a neighbour of the node",
            "IoReach",
            g -> g.server() + " " + CLOSED,
            "rules",
            "net"),
        Attempt.of(
            "connect to the node's localhost",
            "TcpConnect",
            g -> "127.0.0.1 " + MANAGEMENT,
            "landlock-net",
            "net"),
        Attempt.of(
            "  its management address",
            "TcpConnect",
            g -> g.nodeAddress() + " " + MANAGEMENT,
            "landlock-net",
            "rules",
            "net"),
        Attempt.of(
            "  its link-local address",
            "LinkLocal",
            g -> "" + MANAGEMENT,
            "landlock-net",
            "rules",
            "net"));
  }

  private List<Attempt> taken() {
    return List.of(
        Attempt.of("take connections off-list", "TcpListen", g -> "8090", LayerRows.FILTERS)
            .on(Attempt.TAKING)
            .meanwhile(Attempts::connects)
            .counterpart("those of its list", g -> "8092", Sights.said()),
        nativeCall(
                "speak first as an address of its take",
                g -> "source " + addresses(g.server()),
                "mount",
                "disk",
                "capabilities",
                "user",
                "rules",
                "net")
            .on(Attempt.TAKING)
            .judged(sights.arrives()));
  }

  private static void connects(Ground ground) throws IOException {
    for (int port : new int[] {BESIDE_TAKEN, TAKEN_PORT}) {
      ground.user().ask("tcp " + ground.server() + " " + port + " 200");
    }
  }

  /**
   * Returns a neighbour of the server as the upper half of a number, and the server as the lower.
   */
  private static long addresses(String server) throws IOException {
    long address =
        ByteBuffer.wrap(InetAddress.getByName(server).getAddress()).getInt() & 0xffffffffL;
    return (address + 1) << Integer.SIZE | address;
  }

  private static List<Attempt> sockets() {
    return List.of(
        nativeCall("raw socket", g -> "raw 0", "mount", "disk", "seccomp", "capabilities", "user"),
        nativeCall(
            "packet socket", g -> "packet 0", "mount", "disk", "seccomp", "capabilities", "user"),
        nativeCall(
            "netlink: a netfilter queue",
            g -> "queue 4242",
            "mount",
            "disk",
            "seccomp",
            "capabilities",
            "user"));
  }

  private List<Attempt> programs() {
    List<Attempt> all = new ArrayList<>();
    all.add(
        Attempt.of(
            "start a program", "Exec", g -> "/bin/sh -c exit", "seccomp", "landlock", "mount"));
    all.add(nativeCall("load a library it brought", g -> "load 0", "mount", "disk"));
    all.add(
        nativeCall(
            "ptrace a neighbour",
            g -> "trace " + g.pid(Ground.VICTIM),
            "mount",
            "disk",
            "seccomp",
            "landlock",
            "landlock-net",
            "pid",
            "uid",
            "capabilities",
            "user"));
    all.add(
        nativeCall(
            "kill a neighbour, natively",
            g -> "kill " + sights.sacrifice(g),
            "mount",
            "disk",
            LayerRows.SCOPE,
            "pid",
            "uid",
            "capabilities",
            "user"));
    all.add(
        Attempt.of(
            "kill a neighbour",
            "KillProcess",
            g -> "" + sights.sacrifice(g),
            "pid",
            "mount",
            "landlock",
            "uid",
            "capabilities",
            "user"));
    all.add(Attempt.of("java.lang.foreign: getpid", "ForeignCall", g -> "getpid").since(22));
    all.add(
        Attempt.of(
                "java.lang.foreign: a raw socket",
                "ForeignCall",
                g -> "socket",
                "seccomp",
                "capabilities",
                "user")
            .since(22));
    all.add(
        Attempt.of("take TERM for itself", "TakeSignal", g -> "TERM", LayerRows.FLAGS)
            .plain("-Xrs"));
    return all;
  }

  private static Attempt nativeCall(String name, Argument argument, String... layers) {
    return Attempt.of(name, "NativeCall", argument, layers);
  }

  /**
   * Attempts at the process that policy may grant: the sandbox's files and network are nobody's.
   */
  private List<Attempt> processes() {
    return List.of(
        Attempt.of("ffmpeg without the grant", "MediaAsk", g -> "run", LayerRows.SPAWNER)
            .counterpart("a picture without it", g -> "picture", Sights.said()),
        process("ffmpeg: values out of range", LayerRows.SPAWNER, g -> "numbers 1 10 1 1 9 0 0 1"),
        process("  another program", LayerRows.SPAWNER, g -> "numbers 2 10 1 1 0 0 0 1"),
        process("  a playlist names a file", LayerRows.FFMPEG, g -> playlist("file:" + g.secret())),
        process(
            "  a playlist names an address",
            LayerRows.FFMPEG,
            g -> playlist("tcp://" + g.server() + ":80")));
  }

  private static String playlist(String url) {
    return "playlist " + url;
  }

  private static Attempt process(String name, String stops, Argument argument) {
    return Attempt.of(name, "MediaAsk", argument, stops)
        .on(Attempt.PROCESSING)
        .counterpart("its own bytes", g -> "run", Sights.said());
  }

  private List<Attempt> verdicts() {
    return List.of(
        verdict("a spoofed source", "Spoof", "source", "egress_denied"),
        verdict("a foreign destination", "Spoof", "destination", "egress_denied"),
        verdict("ring: offset out of range", "RingForge", "offset", "bad_bounds"),
        verdict("ring: length out of range", "RingForge", "length", "bad_bounds"),
        verdict("ring: packet cut short", "RingForge", "truncate", "bad_packet"),
        verdict("ring: a code that is none", "RingForge", "code", "bad_code"),
        verdict("ring: another's packet id", "RingForge", "id", "stale_verdict"),
        Attempt.of(RACE, "RingRace", g -> "-", LayerRows.PKTIO)
            .judged(sights.race())
            .counterpart("changed by itself", g -> "-", sights.answered()),
        Attempt.of("answer beyond its filter: STUN", "AnswerAll", g -> "-", LayerRows.FILTERS)
            .judged(sights.beyond("stun"))
            .counterpart("within its filter", g -> "-", sights.within("stun")),
        Attempt.of("answer beyond its filter: SIP", "AnswerAll", g -> "-", LayerRows.FILTERS)
            .judged(sights.beyond("udp"))
            .counterpart("within its filter", g -> "-", sights.within("udp")));
  }

  private Attempt verdict(String name, String bundle, String how, String counter) {
    return Attempt.of(name, bundle, g -> how, LayerRows.PKTIO)
        .judged(sights.refused(counter))
        .counterpart("its own pair, turned", g -> "turn", sights.answered());
  }

  private List<Attempt> relays() {
    return List.of(
        relay("kernel's relay to a peer off-list", RelayAsk.OWN.peer("192.0.2.10:9999"), "peer"),
        relay("  to the node", RelayAsk.OWN.peer("192.0.2.1:" + MANAGEMENT), "node"),
        relay("  to the node's localhost", RelayAsk.OWN.peer("127.0.0.1:9000"), "martian"),
        relay("  to another's container", RelayAsk.OWN.peer("100.64.0.2:9000"), "node"),
        relay("  from another's port", RelayAsk.OWN.relayed("192.0.2.1:7500"), "relayed"),
        relay("  of another's clients", RelayAsk.OWN.server("10.1.0.1:7500"), "server"),
        relay("  in place of a neighbour", RelayAsk.OWN.server("192.0.2.10:5060"), "server"));
  }

  private Attempt relay(String name, RelayAsk ask, String refusal) {
    return Attempt.of(name, "RelayBind", g -> ask.inWords(), LayerRows.BPFD)
        .on(Attempt.RELAYING)
        .judged(sights.refusedBy(refusal, "ns_relays"))
        .counterpart("its own peer", g -> RelayAsk.OWN.inWords(), Sights.said());
  }

  private List<Attempt> answers() {
    return List.of(
        answer(
            "kernel's answer to a neighbour's agents", "10.1.0.10 4000 192.0.2.10 5060", "filter"),
        answer("  to all that go elsewhere", "10.1.0.10 4000 198.51.100.77 53", "filter"),
        answer("  in place of signaling", "10.1.0.10 4000 192.0.2.10 270", "filter"));
  }

  /** The counterpart's flow is of the module's own port, and its agent sends nothing. */
  private Attempt answer(String name, String flow, String refusal) {
    return Attempt.of(name, "AnswerForge", g -> flow, LayerRows.BPFD)
        .on(Attempt.RELAYING)
        .judged(sights.refusedBy(refusal, "ns_answers4"))
        .counterpart("its own flow", g -> "10.1.0.99 4000", Sights.said());
  }

  private List<Attempt> rules() {
    return List.of(
        rule("kernel's rule for foreign services", RuleAsk.OWN.prefix("52 8"), "prefix"),
        rule("  for all services", RuleAsk.OWN.prefix("0 0"), "prefix"),
        rule("  to a target off-list", RuleAsk.OWN.target("192.0.2.10:9999"), "target"),
        rule("  to the node itself", RuleAsk.OWN.target("192.0.2.1:" + MANAGEMENT), "node"),
        rule("  to a neighbour's container", RuleAsk.OWN.target("100.64.0.2:9000"), "node"),
        rule("  to the host's loopback", RuleAsk.OWN.target("127.0.0.1:9000"), "martian"),
        rule("  at another's router", RuleAsk.OWN.router("10.1.0.1:7500"), "router"));
  }

  private Attempt rule(String name, RuleAsk ask, String refusal) {
    return Attempt.of(name, "ServiceRuleAsk", g -> ask.inWords(), LayerRows.BPFD)
        .on(Attempt.RELAYING)
        .judged(sights.refusedBy(refusal, "ns_serval_rules"))
        .counterpart("its own rule", g -> RuleAsk.OWN.inWords(), Sights.said());
  }

  private List<Attempt> bombs() {
    List<Attempt> all = new ArrayList<>();
    all.add(Attempt.of("disk bomb", "Disk", g -> "64", "disk"));
    all.add(Attempt.of("inode bomb", "Inodes", g -> "3000", "disk"));
    all.add(Attempt.of("descriptor bomb", "Descriptors", g -> "600", "rlimits"));
    all.add(Attempt.of("CPU burn", "Burn", g -> "22", "cgroup").on(SLOW));
    all.add(Attempt.of("thread bomb", "Threads", g -> "500", "cgroup", "rlimits").on(LETHAL));
    all.add(
        nativeCall("fork bomb", g -> "fork 400", "mount", "disk", "seccomp", "cgroup").on(LETHAL));
    all.add(Attempt.of("heap bomb", "Heap", g -> "512", LayerRows.JVM, "cgroup").on(LETHAL));
    all.add(
        Attempt.of("direct-memory bomb", "DirectMemory", g -> "512", LayerRows.JVM, "cgroup")
            .on(LETHAL));
    all.add(Attempt.of("memory bomb by Unsafe", "OffHeap", g -> "512", "cgroup").on(LETHAL));
    all.add(Attempt.of("metaspace bomb", "Metaspace", g -> "20000", LayerRows.JVM).on(LETHAL));
    all.add(
        Attempt.of("System.exit ends neighbours", "Exit", g -> "-", LayerRows.PROCESS)
            .on(LETHAL)
            .judged(sights.exit())
            .counterpart("its own container", g -> "-", sights.ended()));
    all.add(
        Attempt.of("ring: write to descriptors", "RingWrite", g -> "descriptors", LayerRows.RING)
            .on(LETHAL)
            .counterpart("write to slots", g -> "slots", Sights.said()));
    return all;
  }

  private List<Attempt> control() {
    return List.of(
        control("flood of connections", "flood", "30", "1"),
        Attempt.of(
                "control socket: garbage",
                "Control",
                g -> control(g, "garbage", ""),
                LayerRows.CONTROLLER)
            .on(LETHAL)
            .counterpart("silence", g -> control(g, "flood", "1"), Sights.said()),
        Attempt.of(
                "accuse a neighbour's module",
                "Control",
                g -> control(g, "accuse", g.neighboursModule()),
                LayerRows.CONTROLLER)
            .on(LETHAL)
            .judged(sights.accused())
            .counterpart(
                "its own module",
                g -> control(g, "accuse", g.ownModule("Control")),
                sights.accusedItself()),
        Attempt.of("ring: cursor out of range", "RingForge", g -> "cursor", LayerRows.PKTIO)
            .on(LETHAL)
            .judged(sights.corrupt())
            .counterpart("unforged", g -> "turn", sights.answered()));
  }

  private static Attempt control(String name, String how, String many, String few) {
    return Attempt.of(
            "control socket: " + name, "Control", g -> control(g, how, many), LayerRows.CONTROLLER)
        .on(LETHAL)
        .counterpart(
            few + " connection beside the agent's", g -> control(g, how, few), Sights.said());
  }

  private static String control(Ground ground, String how, String more) {
    return how + " " + ground.root().resolve("run/netserv/container/container.sock") + " " + more;
  }
}
