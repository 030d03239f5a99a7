/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.so - system calls that no module may make. The hostile bundle
 * NativeCall brings this library along. Each call returns 0, or the system's
 * error.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int only_socket(int family, int type, int protocol) {
  int fd = socket(family, type | SOCK_CLOEXEC, protocol);
  if (fd < 0)
    return errno;
  close(fd);
  return 0;
}

/* Asks for a netfilter queue of its own. Its owner decides about packets. */
static int bind_queue(long number) {
  struct {
    struct nlmsghdr head;
    struct nfgenmsg family;
    struct nlattr attribute;
    struct nfqnl_msg_config_cmd command;
  } request = {
      .head = {sizeof request, (NFNL_SUBSYS_QUEUE << 8) | NFQNL_MSG_CONFIG,
               NLM_F_REQUEST | NLM_F_ACK, 1, 0},
      .family = {AF_UNSPEC, NFNETLINK_V0, htons((unsigned short)number)},
      .attribute = {sizeof(struct nlattr) + sizeof(struct nfqnl_msg_config_cmd),
                    NFQA_CFG_CMD},
      .command = {NFQNL_CFG_CMD_BIND, 0, htons(AF_INET)},
  };
  struct {
    struct nlmsghdr head;
    struct nlmsgerr error;
    char rest[256];
  } answer;
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER),
      error;
  if (fd < 0)
    return errno;
  if (send(fd, &request, sizeof request, 0) < 0 ||
      recv(fd, &answer, sizeof answer, 0) < 0)
    error = errno;
  else
    error = -answer.error.error;
  close(fd);
  return error;
}

static int trace(pid_t pid) {
  if (ptrace(PTRACE_ATTACH, pid, 0, 0) != 0)
    return errno;
  waitpid(pid, 0, __WALL);
  ptrace(PTRACE_DETACH, pid, 0, 0);
  return 0;
}

/* Starts children that only sleep, and end by themselves. */
static int fork_bomb(long count) {
  int error = 0;
  pid_t group = 0;
  for (long i = 0; i < count && error == 0; i++) {
    pid_t child = fork();
    if (child == 0) {
      sleep(5);
      _exit(0);
    }
    if (child < 0) {
      error = errno;
    } else {
      group = group == 0 ? child : group;
      setpgid(child, group);
    }
  }
  if (group != 0)
    kill(-group, SIGKILL);
  return error;
}

/*
 * Sends a datagram from a foreign address, the upper half of the number, to the
 * sink of the address in the lower half. IP_TRANSPARENT needs a right over the
 * network.
 */
static int speak_as(long addresses) {
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = htons(9100)};
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9999)};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1, error = 0;
  if (fd < 0)
    return errno;
  from.sin_addr.s_addr = htonl((unsigned)(addresses >> 32));
  to.sin_addr.s_addr = htonl((unsigned)addresses);
  if (setsockopt(fd, IPPROTO_IP, IP_TRANSPARENT, &on, sizeof on) != 0 ||
      bind(fd, (struct sockaddr *)&from, sizeof from) != 0 ||
      sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to) < 0)
    error = errno;
  close(fd);
  return error;
}

int Java_org_netserv_lab_module_NativeCall_call(void *env, void *type, int what,
                                                long number) {
  (void)env;
  (void)type;
  switch (what) {
  case 'r':
    return only_socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
  case 'p':
    return only_socket(AF_PACKET, SOCK_RAW, htons(0x0003));
  case 'q':
    return bind_queue(number);
  case 't':
    return trace((pid_t)number);
  case 'f':
    return fork_bomb(number);
  case 'l': /* the library is loaded, which is all */
    return 0;
  case 's':
    return speak_as(number);
  case 'k':
    return kill((pid_t)number, SIGKILL) != 0 ? errno : 0;
  default:
    return EINVAL;
  }
}
