#define _GNU_SOURCE
#include "CRemoteProcess.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// The answer of the kernel to one question.
struct answer {
    _Alignas(struct nlmsghdr) char bytes[4096];
    ssize_t size;
};

/// Asks the kernel about one socket. Returns the answer's message, or NULL.
static const struct nlmsghdr *ask(const void *question, size_t size, struct answer *answer) {
    struct {
        struct nlmsghdr header;
        char body[128];
    } message = {.header = {.nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST, .nlmsg_len = (uint32_t)NLMSG_LENGTH(size)}};
    if (size > sizeof message.body) return NULL;
    memcpy(NLMSG_DATA(&message.header), question, size);
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return NULL;
    // The kernel answers before `send` returns.
    answer->size = send(netlink, &message, message.header.nlmsg_len, 0) < 0
                       ? -1
                       : recv(netlink, answer->bytes, sizeof answer->bytes, MSG_DONTWAIT);
    close(netlink);
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer->bytes;
    return answer->size > 0 && NLMSG_OK(header, (size_t)answer->size) && header->nlmsg_type == SOCK_DIAG_BY_FAMILY ? header : NULL;
}

/// Copies the attribute of a message whose fixed part has this size. False if there is none.
static bool attribute(const struct nlmsghdr *message, size_t fixed, int type, void *into, size_t size) {
    const struct rtattr *at = (const struct rtattr *)((const char *)NLMSG_DATA(message) + NLMSG_ALIGN(fixed));
    size_t rest = message->nlmsg_len > NLMSG_SPACE(fixed) ? message->nlmsg_len - NLMSG_SPACE(fixed) : 0;
    for (; RTA_OK(at, rest); at = RTA_NEXT(at, rest)) {
        if (at->rta_type != type || RTA_PAYLOAD(at) < size) continue;
        memcpy(into, RTA_DATA(at), size);
        return true;
    }
    return false;
}

bool remote_tcp_silence(
    const struct remote_address *local, const struct remote_address *peer, uint32_t inode, struct remote_silence *silence) {
    struct inet_diag_req_v2 question = {
        .sdiag_family = (uint8_t)local->family, .sdiag_protocol = IPPROTO_TCP, .idiag_ext = 1 << (INET_DIAG_INFO - 1), .idiag_states = ~0u};
    question.id.idiag_sport = htons(local->port);
    question.id.idiag_dport = htons(peer->port);
    memcpy(question.id.idiag_src, local->bytes, sizeof local->bytes);
    memcpy(question.id.idiag_dst, peer->bytes, sizeof peer->bytes);
    question.id.idiag_cookie[0] = question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    struct answer answer;
    const struct nlmsghdr *message = ask(&question, sizeof question, &answer);
    if (!message) return false;
    const struct inet_diag_msg *found = NLMSG_DATA(message);
    // The answer may have an older and shorter record of the kernel's.
    struct tcp_info info;
    if (found->idiag_inode != inode
        || !attribute(message, sizeof *found, INET_DIAG_INFO, &info, offsetof(struct tcp_info, tcpi_pmtu)))
        return false;
    *silence = (struct remote_silence){.received = info.tcpi_last_data_recv, .sent = info.tcpi_last_data_sent};
    return true;
}

uint32_t remote_unix_peer(uint32_t inode) {
    struct unix_diag_req question = {
        .sdiag_family = AF_UNIX, .udiag_states = ~0u, .udiag_ino = inode, .udiag_show = UDIAG_SHOW_PEER, .udiag_cookie = {~0u, ~0u}};
    struct answer answer;
    const struct nlmsghdr *message = ask(&question, sizeof question, &answer);
    uint32_t peer = 0;
    return message && attribute(message, sizeof(struct unix_diag_msg), UNIX_DIAG_PEER, &peer, sizeof peer) ? peer : 0;
}
