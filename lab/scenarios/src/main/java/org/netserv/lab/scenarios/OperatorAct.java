// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A change that an operator makes to the firewall of a machine.
 *
 * @param program that it needs
 * @param seconds for which keep-alives are sent meanwhile
 * @param script makes the change, and returns when it is done
 * @param undo removes every rule of the change
 */
record OperatorAct(String name, String program, int seconds, String script, String undo) {
  private static final String BOTH = "for t in iptables-nft ip6tables-nft; do ";
  private static final String EMPTY =
      BOTH
          + "$t -w -P FORWARD ACCEPT; $t -w -P INPUT ACCEPT; $t -w -P OUTPUT ACCEPT;"
          + " $t -w -F; $t -w -X; $t -w -t nat -F; $t -w -t nat -X; $t -w -t raw -F;"
          + " $t -w -t mangle -F; done; nft flush ruleset";
  private static final String RULESET =
      "*filter\\n:INPUT ACCEPT [0:0]\\n:FORWARD DROP [0:0]\\n:OUTPUT ACCEPT [0:0]\\n"
          + ":NETSERVER - [0:0]\\n-A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT\\n"
          + "-A FORWARD -i lan -o core -j ACCEPT\\n-A FORWARD -j NETSERVER\\n"
          + "-A NETSERVER -p tcp -m tcp --dport 25 -j DROP\\nCOMMIT\\n";

  boolean exists() {
    return Files.isExecutable(Path.of(program));
  }

  private static OperatorAct of(String name, String script) {
    return new OperatorAct(name, "/usr/sbin/nft", 4, "sleep 1; " + script, EMPTY);
  }

  /**
   * Returns a script that runs ufw with files of its own. It leaves out ufw's sysctls, because they
   * set rp_filter, which the node must not have.
   */
  private static String ufw(String commands) {
    return "unshare -m sh -c 'd=$(mktemp -d) && cp -a /etc/ufw $d/ufw && cp /etc/default/ufw $d/default &&"
        + " sed -i s,^IPT_SYSCTL=.*,IPT_SYSCTL=, $d/default &&"
        + " mount --bind $d/ufw /etc/ufw && mount --bind $d/default /etc/default/ufw && { "
        + commands
        + "; } >/dev/null 2>&1; umount /etc/ufw /etc/default/ufw; rm -rf $d'";
  }

  /**
   * Returns a script that runs firewalld with a bus and files of its own. Both interfaces are in a
   * zone that forwards.
   */
  private static String firewalld() {
    return "unshare -m sh -c 'd=$(mktemp -d) && cp -a /etc/firewalld $d/ &&"
        + " mount --bind $d/firewalld /etc/firewalld && mount -t tmpfs tmpfs /run &&"
        + " mkdir -p /run/dbus /run/firewalld && dbus-daemon --system --fork &&"
        + " firewall-offline-cmd --zone=trusted --add-interface=core --add-interface=lan &&"
        + " { firewalld --nofork --nopid >/dev/null 2>&1 & f=$!; };"
        + " for i in $(seq 100); do firewall-cmd --state && break; sleep 0.1; done;"
        + " sleep 1; firewall-cmd --reload; sleep 1;"
        + " kill -9 $f; kill $(cat /run/dbus/pid); sleep 0.2' >/dev/null 2>&1";
  }

  static List<OperatorAct> all() {
    return List.of(
        of("iptables -F", BOTH + "$t -w -F; done"),
        of("iptables -t raw -F PREROUTING", BOTH + "$t -w -t raw -F PREROUTING; done"),
        of(
            "iptables -F and -X, filter and raw",
            BOTH + "$t -w -F; $t -w -X; $t -w -t raw -F; $t -w -t raw -X; done || true"),
        of("iptables-restore, FORWARD DROP", "printf '" + RULESET + "' | iptables-nft-restore -w"),
        of("nft flush ruleset", "nft flush ruleset"),
        of(
            "nft -f of a file with a flush",
            "printf 'flush ruleset\\ntable inet filter {\\n chain forward {\\n  type filter hook"
                + " forward priority 0; policy accept;\\n  tcp dport 25 drop\\n }\\n}\\n' | nft -f -"),
        of("nft delete table inet netserv", "nft delete table inet netserv || true"),
        of(
            "Docker's chains",
            "t=iptables-nft; $t -w -N DOCKER; $t -w -N DOCKER-USER; $t -w -I FORWARD -j DOCKER-USER;"
                + " $t -w -A DOCKER-USER -j RETURN; $t -w -P FORWARD DROP;"
                + " $t -w -A FORWARD -i lan -o core -j ACCEPT; $t -w -A FORWARD -m conntrack"
                + " --ctstate ESTABLISHED,RELATED -j ACCEPT; $t -w -t nat -A POSTROUTING"
                + " -s 172.17.0.0/16 -j MASQUERADE"),
        new OperatorAct(
            "ufw: enable, reload, disable",
            "/usr/sbin/ufw",
            20,
            ufw(
                "ufw default allow routed; ufw default allow incoming; ufw --force enable;"
                    + " ufw reload; ufw disable"),
            EMPTY),
        new OperatorAct("firewalld: start, reload", "/usr/sbin/firewalld", 20, firewalld(), EMPTY));
  }
}
