// SPDX-License-Identifier: GPL-2.0
/*
 * Does what the markers of sockets, IPC, files and memory tell of, and says how
 * their records should read: lines "MARKER TEXT", with P for a pointer that is
 * hashed.
 *
 *	test_rows_mm CASE [ARG]
 *
 * It says "ready" first, and waits for a line to read, so that the events can be
 * filtered by its pid. Exit status: 0 when all could be done.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../kselftest.h"

#define PAGE		4096UL

static char output[1 << 18];
static const char *arg;

static __noreturn void die(const char *what)
{
	printf("# cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

/* What a system call returns in the kernel. */
static long raw(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* === Sockets ============================================================== */

static int create(int family, int type, int protocol)
{
	long ret = raw(socket(family, type, protocol));

	printf("net_socket_create family %d type %d protocol %d ret %ld\n",
	       family, type, protocol, ret);
	return ret;
}

static struct sockaddr_in loopback(unsigned int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static unsigned int port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &len))
		die("get the port");
	return ntohs(a.sin_port);
}

static void do_bind(int fd, int len)
{
	struct sockaddr_in a = loopback(0);
	long ret = raw(bind(fd, (struct sockaddr *)&a, len));

	printf("net_socket_bind fd %d addrlen %d ret %ld\n", fd, len, ret);
}

static void do_listen(int fd, int backlog)
{
	long ret = raw(listen(fd, backlog));

	printf("net_socket_listen fd %d backlog %d ret %ld\n", fd, backlog, ret);
}

static void do_connect(int fd, unsigned int port, int len)
{
	struct sockaddr_in a = loopback(port);
	long ret = raw(connect(fd, (struct sockaddr *)&a, len));

	printf("net_socket_connect fd %d addrlen %d ret %ld\n", fd, len, ret);
}

static int do_accept(int fd, int flags)
{
	long ret = raw(accept4(fd, NULL, NULL, flags));

	printf("net_socket_accept fd %d flags %d ret %ld\n", fd, flags, ret);
	return ret;
}

static void do_shutdown(int fd, int how)
{
	long ret = raw(shutdown(fd, how));

	printf("net_socket_shutdown fd %d how %d ret %ld\n", fd, how, ret);
}

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

#ifdef __x86_64__
/* A call of a program for 32 bits; -ENOSYS where there are none. */
static long call32_of_5(long number, long a, long b, long c, long d, long e)
{
	long ret = number;

	signal(SIGSEGV, on_fault);
	if (sigsetjmp(back, 1))
		return -ENOSYS;
	asm volatile("int $0x80"
		     : "+a" (ret)
		     : "b" (a), "c" (b), "d" (c), "S" (d), "D" (e)
		     : "r8", "r9", "r10", "r11", "memory");
	return (int)ret;
}

static long call32(long number, long a, long b, long c)
{
	return call32_of_5(number, a, b, c, 0, 0);
}

/* Memory that these programs can name. */
static unsigned int *map32(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (p == MAP_FAILED)
		die("map memory");
	return p;
}

/* socket() as one of the calls of socketcall(), of a program for 32 bits. */
static void socket32(void)
{
	unsigned int *args = map32();
	long ret;

	args[0] = AF_UNIX;
	args[1] = SOCK_DGRAM;
	args[2] = 0;
	ret = call32(102, 1, (long)args, 0);
	if (ret != -ENOSYS)
		printf("net_socket_create family 1 type 2 protocol 0 ret %ld\n",
		       ret);
}

static void told_option(int fd, int level, int name, long ret)
{
	printf("net_socket_getsockopt fd %d level %d optname %d ret %ld\n",
	       fd, level, name, ret);
}

/* getsockopt() in the same way. */
static void getsockopt32(int fd)
{
	unsigned int *args = map32();
	long ret;

	args[0] = fd;
	args[1] = SOL_SOCKET;
	args[2] = SO_TYPE;
	args[3] = (unsigned long)&args[10];
	args[4] = (unsigned long)&args[11];
	args[11] = 4;
	ret = call32(102, 15, (long)args, 0);
	if (ret != -ENOSYS)
		told_option(fd, SOL_SOCKET, SO_TYPE, ret);
}

static void do_ipc32(unsigned int call, int first, long second, long third,
		     long ptr, long *ret)
{
	*ret = call32_of_5(117, call, first, second, third, ptr);
	printf("ipc_call call %u first %d ret %ld\n", call, first, *ret);
}

/* The one call for all of System V IPC, which only these programs have. */
static void test_ipc_call(void)
{
	long id, ret;

	if (call32(20, 0, 0, 0) != getpid()) {
		printf("none\n");
		return;
	}
	/* MSGGET, with a version too, MSGCTL, SEMGET, SHMDT, and none at all */
	do_ipc32(13, IPC_PRIVATE, 0600, 0, 0, &id);
	if (id < 0)
		die("get a queue");
	do_ipc32(14, id, IPC_RMID, 0, 0, &ret);
	do_ipc32(14, id, IPC_RMID, 0, 0, &ret);
	do_ipc32(3 << 16 | 13, IPC_PRIVATE, 0600, 0, 0, &id);
	do_ipc32(14, id, IPC_RMID, 0, 0, &ret);
	do_ipc32(2, IPC_PRIVATE, -1, 0600, 0, &ret);
	do_ipc32(22, 5, 0, 0, 1, &ret);
	do_ipc32(99, -7, 0, 0, 0, &ret);
}
#else
static void socket32(void)
{
}

static void told_option(int fd, int level, int name, long ret)
{
	printf("net_socket_getsockopt fd %d level %d optname %d ret %ld\n",
	       fd, level, name, ret);
}

static void getsockopt32(int fd)
{
}

static void test_ipc_call(void)
{
	printf("none\n");
}
#endif

static void do_socketpair(int family, int type, int protocol, int *p)
{
	long ret;

	p[0] = -1;
	p[1] = -1;
	ret = raw(socketpair(family, type, protocol, p));
	if (ret) {
		p[0] = -1;
		p[1] = -1;
	}
	printf("net_socket_socketpair family %d type %d protocol %d fd0 %d fd1 %d ret %ld\n",
	       family, type, protocol, p[0], p[1], ret);
}

static void do_getsockname(int fd, socklen_t len)
{
	struct sockaddr_storage a;

	printf("net_socket_getsockname fd %d ret %ld\n", fd,
	       raw(getsockname(fd, (struct sockaddr *)&a, &len)));
}

static void do_getpeername(int fd, socklen_t len)
{
	struct sockaddr_storage a;

	printf("net_socket_getpeername fd %d ret %ld\n", fd,
	       raw(getpeername(fd, (struct sockaddr *)&a, &len)));
}

static void do_setsockopt(int fd, int level, int name, int len)
{
	int value = 1;

	printf("net_socket_setsockopt fd %d level %d optname %d optlen %d ret %ld\n",
	       fd, level, name, len,
	       raw(syscall(SYS_setsockopt, fd, level, name, &value, len)));
}

static void do_getsockopt(int fd, int level, int name, socklen_t len)
{
	char value[100];

	told_option(fd, level, name,
		    raw(getsockopt(fd, level, name, value, &len)));
}

static void test_more_calls(void)
{
	int file = open("/dev/null", O_RDWR);
	int s = socket(AF_INET, SOCK_STREAM, 0);
	int p[2], none[2];

	do_socketpair(AF_UNIX, SOCK_STREAM, 0, p);
	do_socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, none);
	do_socketpair(AF_INET, SOCK_STREAM, IPPROTO_TCP, none);
	do_socketpair(AF_UNIX, SOCK_STREAM | 0x100, 0, none);

	do_getsockname(s, 100);
	do_getsockname(p[1], 100);
	do_getsockname(p[1], -1);
	do_getsockname(file, 100);
	do_getsockname(999, 100);
	do_getpeername(p[0], 100);
	do_getpeername(s, 100);
	do_getpeername(file, 100);
	do_getpeername(-1, 100);

	do_setsockopt(s, SOL_SOCKET, SO_REUSEADDR, 4);
	do_setsockopt(s, IPPROTO_TCP, 1 /* TCP_NODELAY */, 4);
	do_setsockopt(s, SOL_SOCKET, SO_REUSEADDR, 2);
	do_setsockopt(s, SOL_SOCKET, SO_REUSEADDR, -5);
	do_setsockopt(p[0], 77, 88, 4);
	do_setsockopt(file, SOL_SOCKET, SO_REUSEADDR, 4);
	do_setsockopt(-3, SOL_SOCKET, SO_REUSEADDR, 4);
	do_getsockopt(s, SOL_SOCKET, SO_REUSEADDR, 4);
	do_getsockopt(s, IPPROTO_TCP, 9999, 4);
	do_getsockopt(p[0], 77, 88, 4);
	do_getsockopt(file, SOL_SOCKET, SO_TYPE, 4);
	do_getsockopt(-4, SOL_SOCKET, SO_TYPE, 4);
	getsockopt32(p[1]);
}

static void test_calls(void)
{
	const int len = sizeof(struct sockaddr_in);
	int s, c, a, file;

	file = open("/dev/null", O_RDWR);
	s = create(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	c = create(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	create(AF_INET, 99, 0);
	create(12345, SOCK_STREAM, 0);
	socket32();
	do_bind(s, len);
	do_bind(s, len);
	do_bind(-1, len);
	do_bind(file, len);
	do_bind(c, 3);
	do_listen(s, 5);
	do_listen(999, 6);
	do_listen(file, 7);
	do_connect(c, port_of(s), len);
	do_connect(c, port_of(s), len);
	do_connect(-1, 1, len);
	do_connect(file, 1, len);
	a = do_accept(s, SOCK_CLOEXEC);
	if (a < 0)
		die("accept");
	fcntl(s, F_SETFL, O_NONBLOCK);
	do_accept(s, 0);
	do_accept(s, 1);
	do_accept(999, 0);
	do_shutdown(c, SHUT_WR);
	do_shutdown(a, 77);
	do_shutdown(s, SHUT_RDWR);
	do_shutdown(-1, SHUT_RD);
}

static void told_sent(long size, long ret)
{
	printf("net_socket_sendmsg sock P size %ld ret %ld\n", size, ret);
}

static void told_received(long size, long ret)
{
	printf("net_socket_recvmsg sock P size %ld ret %ld\n", size, ret);
}

static char buffer[1 << 16];

static void test_messages(void)
{
	struct iovec iov[3] = {
		{ buffer, 10 }, { buffer, 20 }, { buffer, 3000 },
	};
	struct mmsghdr m[3];
	int p[2], i;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p))
		die("make a pair");
	told_sent(100, raw(send(p[0], buffer, 100, 0)));
	told_received(4000, raw(recv(p[1], buffer, 4000, 0)));
	told_received(5000, raw(recv(p[1], buffer, 5000, MSG_DONTWAIT)));
	told_sent(7, raw(write(p[1], buffer, 7)));
	told_received(5, raw(read(p[0], buffer, 5)));
	memset(m, 0, sizeof(m));
	for (i = 0; i < 3; i++) {
		m[i].msg_hdr.msg_iov = &iov[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	m[2].msg_hdr.msg_iov = &iov[0];
	m[2].msg_hdr.msg_iovlen = 3;
	if (sendmmsg(p[0], m, 3, 0) != 3)
		die("send messages");
	told_sent(10, 10);
	told_sent(20, 20);
	told_sent(3030, 3030);
	if (recvmmsg(p[1], m, 3, MSG_DONTWAIT, NULL) != 3)
		die("receive messages");
	told_received(10, 10);
	told_received(20, 20);
	told_received(3030, 3030);
	close(p[1]);
	told_sent(9, raw(send(p[0], buffer, 9, MSG_NOSIGNAL)));
	/* Nobody looks for a socket in vain there. */
	send(999, buffer, 9, 0);
}

static void test_udp(void)
{
	struct sockaddr_in to;
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	int r = socket(AF_INET, SOCK_DGRAM, 0);
	const int sizes[] = { 1, 321, 1000 };
	unsigned int i;

	to = loopback(0);
	if (bind(s, (struct sockaddr *)&to, sizeof(to)) ||
	    bind(r, (struct sockaddr *)&to, sizeof(to)))
		die("bind");
	to = loopback(port_of(r));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sendto(s, buffer, sizes[i], 0, (struct sockaddr *)&to,
			   sizeof(to)) != sizes[i] ||
		    recv(r, buffer, 4000, 0) != sizes[i])
			die("send and receive");
		/* With the headers of Ethernet, IP and UDP. */
		printf("net_dev_xmit skb P dev lo protocol 2048 len %d\n",
		       sizes[i] + 14 + 20 + 8);
		printf("net_dev_receive skb P dev lo protocol 2048 len %d\n",
		       sizes[i] + 20 + 8);
		printf("net_udpv4_rcv skb P saddr 2130706433 daddr 2130706433 sport %u dport %u\n",
		       port_of(s), port_of(r));
	}
}

/* Segments both ways, and a reset: no timer has anything to send later. */
static void test_tcp(void)
{
	struct linger linger = { 1, 0 };
	struct sockaddr_in to;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	int c = socket(AF_INET, SOCK_STREAM, 0);
	int a;

	to = loopback(0);
	if (bind(s, (struct sockaddr *)&to, sizeof(to)) || listen(s, 1))
		die("listen");
	to = loopback(port_of(s));
	if (connect(c, (struct sockaddr *)&to, sizeof(to)))
		die("connect");
	a = accept(s, NULL, NULL);
	if (send(c, buffer, 5000, 0) != 5000 ||
	    recv(a, buffer, 5000, MSG_WAITALL) != 5000)
		die("send and receive");
	printf("client %u server %u\n", port_of(c), port_of(s));
	if (setsockopt(c, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		die("set an option");
	close(c);
}

/* === System V IPC ========================================================= */

static void test_ipc_create(void)
{
	const key_t key = 0x6d6d0000 + getpid() % 0x10000;
	int id;

	id = msgget(IPC_PRIVATE, 0600);
	printf("ipc_msg_create id %d flags 180\n", id);
	msgctl(id, IPC_RMID, NULL);
	id = msgget(key, IPC_CREAT | 0640);
	printf("ipc_msg_create id %d flags 3a0\n", id);
	if (msgget(key, IPC_CREAT | 0640) != id)
		die("get the same queue");
	msgctl(id, IPC_RMID, NULL);
	msgget(key, 0);

	id = semget(IPC_PRIVATE, 3, 0666);
	printf("ipc_sem_create id %d flags 1b6\n", id);
	semctl(id, 0, IPC_RMID);
	semget(IPC_PRIVATE, -1, 0600);
	id = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	printf("ipc_sem_create id %d flags 780\n", id);
	if (semget(key, 1, 0) != id)
		die("get the same set");
	semctl(id, 0, IPC_RMID);

	id = shmget(IPC_PRIVATE, PAGE, 0600);
	printf("ipc_shm_create id %d flags 180\n", id);
	shmctl(id, IPC_RMID, NULL);
	shmget(IPC_PRIVATE, 0, 0600);
	id = shmget(key, 5 * PAGE, IPC_CREAT | 0644);
	printf("ipc_shm_create id %d flags 3a4\n", id);
	if (shmget(key, PAGE, 0) != id)
		die("get the same segment");
	shmctl(id, IPC_RMID, NULL);
}

struct message {
	long	type;
	char	text[100];
};

static void do_send(int id, long type, size_t size, int flags)
{
	struct message m = { .type = type };
	long ret = raw(msgsnd(id, &m, size, flags));

	printf("ipc_msg_send id %d ret %ld\n", id, ret);
}

static void do_receive(int id, size_t size, int flags)
{
	struct message m;
	long ret = raw(msgrcv(id, &m, size, 0, flags));

	printf("ipc_msg_receive id %d ret %ld\n", id, ret);
}

static void test_msg(void)
{
	int id = msgget(IPC_PRIVATE, 0600);

	do_send(id, 1, 44, 0);
	do_send(id, 2, 0, 0);
	do_send(id, 0, 10, 0);
	do_send(-1, 1, 10, 0);
	do_send(id, 1, 1 << 30, 0);
	do_receive(id, 10, 0);
	do_receive(id, 10, MSG_COPY);
	do_receive(id, 50, MSG_COPY | IPC_NOWAIT | 0);
	do_receive(id, 20, MSG_NOERROR);
	do_receive(id, 20, 0);
	do_receive(id, 20, IPC_NOWAIT);
	do_receive(-5, 20, 0);
	msgctl(id, IPC_RMID, NULL);
	do_send(id, 1, 10, 0);
	do_receive(id, 20, 0);
}

static void do_semop(int id, int op, int n, int flags)
{
	struct sembuf buf[2] = {
		{ 0, op, flags }, { 1, op, flags },
	};
	long ret = raw(semop(id, buf, n));

	printf("ipc_sem_op id %d ret %ld\n", id, ret);
}

static void test_sem(void)
{
	int id = semget(IPC_PRIVATE, 2, 0600);

	do_semop(id, 3, 2, 0);
	do_semop(id, -2, 1, 0);
	do_semop(id, -2, 1, IPC_NOWAIT);
	do_semop(id, 1, 0, 0);
	do_semop(id, 1, 100000, 0);
	printf("ipc_sem_op id %d ret %ld\n", id,
	       raw(semop(id, (struct sembuf *)8, 1)));
	semctl(id, 0, IPC_RMID);
	do_semop(id, 1, 1, 0);
}

static void do_detach(void *addr)
{
	long ret = raw(shmdt(addr));

	printf("ipc_shm_detach addr 0x%lx ret %ld\n", (unsigned long)addr, ret);
}

static void *do_attach(int id, void *at, int flags)
{
	void *addr = shmat(id, at, flags);

	printf("ipc_shm_attach id %d ret %ld\n", id,
	       addr == (void *)-1 ? (long)-errno : 0);
	return addr;
}

static void test_shm(void)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, 0600);
	char *addr;

	addr = do_attach(id, NULL, 0);
	if (addr == (void *)-1)
		die("attach");
	addr[5] = 1;
	do_attach(id, addr, 0);
	do_attach(id, addr + 1, 0);
	do_attach(-3, NULL, 0);
	do_detach(addr);
	do_detach(addr);
	do_detach(addr + 3);
	shmctl(id, IPC_RMID, NULL);
	do_attach(id, NULL, SHM_RDONLY);
}

/* === Files ================================================================ */

#define FD	77
#define NO_FD	78

static void do_open(const char *path, int flags)
{
	long ret = raw(open(path, flags, 0600));

	printf("fs_open fd %ld filename %s\n", ret, path);
	if (ret >= 0)
		close(ret);
}

static void do_close(int fd)
{
	close(fd);
	printf("fs_close fd %u\n", fd);
}

static void do_read(int fd, void *p, size_t count)
{
	long ret = raw(read(fd, p, count));

	printf("fs_read fd %u count %lu ret %ld\n", fd, count, ret);
}

static void do_write(int fd, const void *p, size_t count)
{
	long ret = raw(write(fd, p, count));

	printf("fs_write fd %u count %lu ret %ld\n", fd, count, ret);
}

static void do_ioctl(int fd, unsigned int cmd, unsigned long value)
{
	ioctl(fd, cmd, value);
	printf("fs_ioctl fd %u cmd %u arg %lx\n", fd, cmd, value);
}

/* Not known to the compiler. */
static const void *volatile nowhere = (void *)8;

/* ARG is a directory of ours. */
static void test_files(void)
{
	char path[300];
	int n, fd;

	snprintf(path, sizeof(path), "%s/file", arg);
	do_open(path, O_RDWR | O_CREAT);
	do_open(path, O_RDWR | O_CREAT | O_EXCL);
	fd = openat(AT_FDCWD, path, O_RDWR);
	printf("fs_open fd %d filename %s\n", fd, path);
	if (dup2(fd, FD) != FD)
		die("copy a descriptor");
	snprintf(path, sizeof(path), "%s/none", arg);
	do_open(path, O_RDONLY);

	do_write(FD, buffer, 10);
	do_write(FD, nowhere, 11);
	do_write(NO_FD, buffer, 12);
	lseek(FD, 4, SEEK_SET);
	do_read(FD, buffer, 100);
	do_read(FD, buffer, 100);
	do_read(NO_FD, buffer, 3);
	if (pread(FD, buffer, 5, 0) != 5)
		die("read at a place");

	do_ioctl(FD, FIONREAD, (unsigned long)&n);
	do_ioctl(FD, 0xfedcba98, 0x123456789abcdef0);
	do_ioctl(NO_FD, FIONREAD, 0);
#ifdef __x86_64__
	if (call32(54, FD, 0xabcd1234, 0x89abcdef) != -ENOSYS)
		printf("fs_ioctl fd %u cmd %u arg 89abcdef\n", FD, 0xabcd1234);
#endif
	do_close(FD);
	do_close(NO_FD);
}

#define ZERO_FD	79

static void told_lseek(int fd, long long offset, int origin, long long ret)
{
	printf("fs_lseek fd %u offset %lld origin %u ret %lld\n", fd, offset,
	       origin, ret);
}

static void do_lseek(int fd, off_t offset, int origin)
{
	told_lseek(fd, offset, origin, raw(lseek(fd, offset, origin)));
}

static void told_prw(const char *call, int fd, size_t count, long long pos,
		     long ret)
{
	printf("fs_%s64 fd %u count %lu pos %lld ret %ld\n", call, fd, count,
	       pos, ret);
}

static void do_pread(int fd, const void *p, size_t count, off_t pos)
{
	told_prw("pread", fd, count, pos,
		 raw(syscall(SYS_pread64, fd, p, count, pos)));
}

static void do_pwrite(int fd, const void *p, size_t count, off_t pos)
{
	told_prw("pwrite", fd, count, pos,
		 raw(syscall(SYS_pwrite64, fd, p, count, pos)));
}

static void told_rwv(const char *call, int fd, unsigned long n, long long pos,
		     long ret)
{
	printf("fs_%s fd %u vlen %lu pos %lld ret %ld\n", call, fd, n, pos, ret);
}

static const struct iovec vector[] = {
	{ buffer, 10 }, { buffer, 20 }, { buffer, 30 },
};

/* Each call of the kind, some that cannot be, and some of programs for 32 bits. */
static void do_vectors(int fd, int n)
{
	told_rwv("writev", fd, n, -1, raw(writev(fd, vector, n)));
	told_rwv("writev", fd, n, 7, raw(pwritev(fd, vector, n, 7)));
	told_rwv("writev", fd, n, 9, raw(pwritev2(fd, vector, n, 9, 0)));
	told_rwv("writev", fd, n, -1, raw(pwritev2(fd, vector, n, -1, 0)));
	told_rwv("writev", fd, n, -7, raw(pwritev(fd, vector, n, -7)));
	told_rwv("readv", fd, n, 5, raw(preadv(fd, vector, n, 5)));
	told_rwv("readv", fd, n, 6, raw(preadv2(fd, vector, n, 6, 0)));
	told_rwv("readv", fd, n, -1, raw(preadv2(fd, vector, n, -1, 0)));
	told_rwv("readv", fd, n, -5, raw(preadv(fd, vector, n, -5)));
	lseek(fd, 0, SEEK_SET);
	told_lseek(fd, 0, SEEK_SET, fd == NO_FD ? -EBADF : 0);
	told_rwv("readv", fd, n, -1, raw(readv(fd, vector, n)));
}

#ifdef __x86_64__
static void do_places32(void)
{
	unsigned int *low = map32();
	unsigned long at = (unsigned long)(low + 16);
	unsigned long iov = (unsigned long)(low + 2);
	long ret = call32(19, FD, -2, SEEK_END);

	if (ret == -ENOSYS)
		return;
	told_lseek(FD, -2, SEEK_END, ret);
	told_lseek(FD, 0x7fffffff, SEEK_SET, call32(19, FD, 0x7fffffff, SEEK_SET));
	told_lseek(FD, -1, SEEK_SET, call32(19, FD, -1, SEEK_SET));

	ret = call32_of_5(140, FD, 1, 0x80000000, (long)low, SEEK_SET);
	if (ret || *(long long *)low != 0x180000000)
		die("seek as a program for 32 bits");
	told_lseek(FD, 0x180000000, SEEK_SET, 0x180000000);
	told_lseek(FD, -1, SEEK_CUR,
		   call32_of_5(140, FD, -1, -1, (long)low, SEEK_CUR) ?: 0x17fffffff);
	told_lseek(FD, 5, 77, call32_of_5(140, FD, 0, 5, (long)low, 77));
	told_lseek(FD, 6, SEEK_SET, call32_of_5(140, FD, 0, 6, 8, SEEK_SET));
	told_lseek(NO_FD, 7, SEEK_SET, call32_of_5(140, NO_FD, 0, 7, (long)low, 0));

	told_prw("pread", FD, 6, 3, call32_of_5(180, FD, at, 6, 3, 0));
	told_prw("pread", FD, 6, 0x100000003, call32_of_5(180, FD, at, 6, 3, 1));
	told_prw("pread", FD, 6, -1, call32_of_5(180, FD, at, 6, -1, -1));
	told_prw("pwrite", FD, 9, 4, call32_of_5(181, FD, at, 9, 4, 0));
	low[2] = at;
	low[3] = 5;
	low[4] = at;
	low[5] = 6;
	told_rwv("readv", FD, 2, 11, call32_of_5(333, FD, iov, 2, 11, 0));
	told_rwv("writev", FD, 2, 12, call32_of_5(334, FD, iov, 2, 12, 0));
	lseek(FD, 1, SEEK_SET);
	told_lseek(FD, 1, SEEK_SET, 1);
	told_rwv("readv", FD, 2, -1, call32(145, FD, iov, 2));
	told_rwv("writev", FD, 1, -1, call32(146, FD, iov, 1));
}
#else
static void do_places32(void)
{
}
#endif

/* What names a place in a file. ARG is a directory of ours. */
static void test_places(void)
{
	char path[300];
	int fd, zero, p[2];

	snprintf(path, sizeof(path), "%s/places", arg);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	zero = open("/dev/zero", O_RDONLY);
	if (dup2(fd, FD) != FD || dup2(zero, ZERO_FD) != ZERO_FD)
		die("copy a descriptor");

	do_pwrite(FD, buffer, 200, 3);
	do_pwrite(FD, nowhere, 11, 5);
	do_pwrite(FD, buffer, 12, -3);
	do_pwrite(NO_FD, buffer, 13, 6);
	do_pwrite(ZERO_FD, buffer, 13, 7);
	do_pread(FD, buffer, 150, 100);
	do_pread(FD, buffer, 14, 0x123456789a);
	do_pread(FD, nowhere, 15, 8);
	do_pread(FD, buffer, 16, -1);
	do_pread(NO_FD, buffer, 17, 9);
	do_pread(ZERO_FD, buffer, 100, 5);

	do_lseek(FD, 10, SEEK_SET);
	do_lseek(FD, -3, SEEK_CUR);
	do_lseek(FD, -1000, SEEK_CUR);
	do_lseek(FD, 0, SEEK_END);
	do_lseek(FD, 0x123456789a, SEEK_SET);
	do_lseek(FD, 5, 99);
	do_lseek(NO_FD, 4, SEEK_SET);
	do_lseek(FD, 20, SEEK_SET);

	do_vectors(FD, 3);
	do_vectors(NO_FD, 2);
	told_rwv("readv", FD, 5000, -1, raw(syscall(SYS_readv, FD, vector, 5000)));
	do_places32();

	/* No places at all. */
	if (pipe(p) || dup2(p[0], FD) != FD)
		die("make a pipe");
	do_lseek(FD, 3, SEEK_SET);
	do_pread(FD, buffer, 3, 2);
	do_pwrite(FD, buffer, 3, 2);
	told_rwv("readv", FD, 2, 4, raw(preadv(FD, vector, 2, 4)));
}

static void told_look(const char *call, int fd, unsigned int mask)
{
	printf("fs_%s fd %d mask %x\n", call, fd, mask);
}

/* An end of a pipe each: it can be written to, and read from while "filled". */
#define READ_FD		FD
#define WRITE_FD	NO_FD

static void do_select(int filled)
{
	fd_set in, out;
	struct timeval now = { 0, 0 };

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(READ_FD, &in);
	FD_SET(WRITE_FD, &out);
	if (select(WRITE_FD + 1, &in, &out, NULL, &now) != 1 + filled)
		die("select");
	told_look("select", READ_FD, filled ? POLLIN | POLLRDNORM : 0);
	told_look("select", WRITE_FD, POLLOUT | POLLWRNORM);
}

static void do_poll(int filled)
{
	struct pollfd fds[] = {
		{ WRITE_FD, POLLIN | POLLOUT, 0 },
		{ -1, POLLIN, 0 },
		{ ZERO_FD, POLLIN, 0 },
		{ READ_FD, POLLIN, 0 },
	};

	if (poll(fds, ARRAY_SIZE(fds), 0) != 2 + filled)
		die("poll");
	told_look("poll", WRITE_FD, POLLOUT);
	told_look("poll", ZERO_FD, POLLNVAL);
	told_look("poll", READ_FD, filled ? POLLIN : 0);
}

static void test_looks(void)
{
	struct pollfd one = { READ_FD, POLLIN, 0 };
	const struct timespec soon = { 0, 10000000 };
	int p[2];
	fd_set in;

	if (pipe(p) || dup2(p[0], READ_FD) != READ_FD ||
	    dup2(p[1], WRITE_FD) != WRITE_FD)
		die("make a pipe");
	close(p[0]);
	close(p[1]);
	do_select(0);
	do_poll(0);
	if (write(WRITE_FD, buffer, 1) != 1)
		die("write");
	do_select(1);
	do_poll(1);
	if (read(READ_FD, buffer, 1) != 1)
		die("read");
	/* Another look when the time is over. */
	if (poll(&one, 1, 10))
		die("wait");
	told_look("poll", READ_FD, 0);
	told_look("poll", READ_FD, 0);
	FD_ZERO(&in);
	FD_SET(READ_FD, &in);
	if (pselect(READ_FD + 1, &in, NULL, NULL, &soon, NULL))
		die("wait");
	told_look("select", READ_FD, 0);
	told_look("select", READ_FD, 0);
}

/* ARG has a file without a format and a script: both are tried, and true. */
static void test_exec(void)
{
	char garbage[300], script[300];
	char *argv[] = { "exec", NULL };

	snprintf(garbage, sizeof(garbage), "%s/garbage", arg);
	snprintf(script, sizeof(script), "%s/script", arg);
	printf("fs_exec filename %s\nfs_exec filename %s\n", garbage, script);
	fflush(stdout);
	execv("/none/at/all", argv);
	execv(garbage, argv);
	execv(script, argv);
	die("execute a script");
}

/* === Memory =============================================================== */

/* The page frame number at that address, and the bit that says "swapped". */
#define SWAPPED		(1ULL << 62)

static uint64_t page_entry(const void *p)
{
	static int fd = -1;
	uint64_t entry;

	if (fd < 0)
		fd = open("/proc/self/pagemap", O_RDONLY);
	if (pread(fd, &entry, 8, (unsigned long)p / PAGE * 8) != 8)
		die("read the page map");
	return entry;
}

static unsigned long pfn_of(const void *p)
{
	return page_entry(p) & ((1ULL << 55) - 1);
}

/* Accesses whose addresses are known. */
extern char at_read[], at_write[];
void touch_read(const volatile char *p);
void touch_write(volatile char *p);

asm("	.text\n"
"	.globl touch_read, touch_write, at_read, at_write\n"
"touch_read:\n"
"at_read:\n"
"	movb	(%rdi), %al\n"
"	ret\n"
"touch_write:\n"
"at_write:\n"
"	movb	$1, (%rdi)\n"
"	ret\n"
);

static void told_fault(const char *p, int write, unsigned int res)
{
	printf("mm_fault_entry address 0x%lx ip 0x%lx write_access %d res %x\n",
	       (unsigned long)p,
	       (unsigned long)(write ? at_write : at_read), write, res);
}

static void told_address(const char *marker, const char *p)
{
	printf("%s address 0x%lx\n", marker, (unsigned long)p);
}

static char *new_map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("map memory");
	return p;
}

static void test_faults(void)
{
	char *p = new_map(16 * PAGE), *q, path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/empty", arg);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	q = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (q == MAP_FAILED)
		die("map a file");
	/* The area gets what it needs for its first page. */
	touch_write(p);

	touch_write(p + PAGE + 123);
	told_fault(p + PAGE + 123, 1, 0);
	told_address("mm_no_page", p + PAGE + 123);
	touch_read(p + 2 * PAGE + 5);
	told_fault(p + 2 * PAGE + 5, 0, 0);
	told_address("mm_no_page", p + 2 * PAGE + 5);
	touch_write(p + 2 * PAGE + 4095);
	told_fault(p + 2 * PAGE + 4095, 1, 0);
	told_address("mm_wp_page", p + 2 * PAGE + 4095);

	/* Behind the end of a file: SIGBUS. */
	signal(SIGBUS, on_fault);
	if (!sigsetjmp(back, 1)) {
		touch_write(q + 17);
		die("get a signal");
	}
	told_fault(q + 17, 1, 2);
	told_address("mm_no_page", q + 17);
}

static void test_segv(void)
{
	char *p = new_map(2 * PAGE);
	int write;

	munmap(p, 2 * PAGE);
	signal(SIGSEGV, on_fault);
	for (write = 0; write < 2; write++) {
		if (!sigsetjmp(back, 1)) {
			if (write)
				touch_write(p + 9);
			else
				touch_read(p + 9);
			die("get a signal");
		}
		printf("mm_fault_nosem address 0x%lx ip 0x%lx error_code %x\n",
		       (unsigned long)p + 9,
		       (unsigned long)(write ? at_write : at_read),
		       write ? 6 : 4);
	}
}

static void test_pages(void)
{
	char *p = new_map(64 * PAGE);
	unsigned long i;

	touch_write(p);
	for (i = 1; i < 64; i++)
		touch_write(p + i * PAGE);
	for (i = 1; i < 64; i++)
		printf("page %lu\n", pfn_of(p + i * PAGE));
	munmap(p, 64 * PAGE);
}

static void told_map(const char *p, size_t pages, unsigned long flags,
		     unsigned long vm_flags)
{
	printf("mm_mmap address 0x%lx len %lu flags %lx vm_flags %lx\n",
	       (unsigned long)p, pages * PAGE, flags, vm_flags);
}

static void told_unmap(const char *p, size_t pages)
{
	printf("mm_munmap address 0x%lx len %lu\n", (unsigned long)p,
	       pages * PAGE);
}

/* Where to is given, or the kernel's choice if NULL; anonymous without a file. */
static char *do_map(char *to, size_t pages, int prot, int flags, int fd,
		    unsigned long vm_flags)
{
	char *p;

	if (fd < 0)
		flags |= MAP_PRIVATE | MAP_ANONYMOUS;
	/* The kernel makes it whole pages. */
	p = mmap(to, pages * PAGE - 100, prot, flags, fd, 0);
	if (p == MAP_FAILED)
		die("map memory");
	if (flags & MAP_FIXED_NOREPLACE)
		flags |= MAP_FIXED;
	told_map(p, pages, flags, vm_flags);
	return p;
}

/* As the kernel has them, besides what it may become: read, write and execute. */
#define VM_R	0x71
#define VM_RW	0x73
#define VM_RX	0x75
#define VM_SHR	0x88

static void test_maps(void)
{
	int fd = memfd_create("maps", 0);
	char *p, *q, *end;

	if (fd < 0 || ftruncate(fd, 2 * PAGE))
		die("make a file");
	p = do_map(NULL, 8, PROT_READ | PROT_WRITE, 0, -1, VM_RW);
	munmap(p + 2 * PAGE, PAGE);
	told_unmap(p + 2 * PAGE, 1);
	told_unmap(p + 4 * PAGE, 2);
	do_map(p + 4 * PAGE, 2, PROT_READ, MAP_FIXED, -1, VM_R);
	do_map(p + 2 * PAGE, 1, PROT_NONE, MAP_FIXED_NOREPLACE, -1, VM_R & ~1);

	/* Nothing is mapped and unmapped. */
	mmap(p, PAGE, PROT_READ,
	     MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0);
	munmap(p + 1, PAGE);
	munmap(p, 0);

	if (mremap(p + 6 * PAGE, 2 * PAGE, PAGE, 0) == MAP_FAILED)
		die("shrink a mapping");
	told_unmap(p + 7 * PAGE, 1);
	/* In one go, with what is there of it. */
	munmap(p, 8 * PAGE);
	told_unmap(p, 8);
	munmap(p, 8 * PAGE);

	q = do_map(NULL, 2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		   fd, VM_RW | VM_SHR);
	if (munmap(q, 1))
		die("unmap a page");
	told_unmap(q, 1);
	do_map(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, VM_RX);

	sbrk(8 * PAGE);
	end = sbrk(0);
	if (sbrk(-4 * (long)PAGE) != end)
		die("move the break");
	told_unmap((char *)(((unsigned long)end + PAGE - 1) & -PAGE) - 4 * PAGE, 4);
}

static void test_swap(void)
{
	char *p = new_map(8 * PAGE);
	int i, tries;

	memset(p, 0x5a, 8 * PAGE);
	for (i = 0; i < 8; i += 2) {
		unsigned long pfn = pfn_of(p + i * PAGE);

		for (tries = 0; tries < 100; tries++) {
			madvise(p + i * PAGE, PAGE, MADV_PAGEOUT);
			if (page_entry(p + i * PAGE) & SWAPPED)
				break;
			usleep(10000);
		}
		if (tries == 100)
			die("swap a page out");
		printf("mm_swap_out pfn %lu\n", pfn);
	}
	for (i = 0; i < 8; i += 2) {
		touch_read(p + i * PAGE + 33);
		told_address("mm_swap_page", p + i * PAGE + 33);
		printf("mm_swap_in pfn %lu\n", pfn_of(p + i * PAGE));
		if (p[i * PAGE] != 0x5a)
			die("see the old contents");
	}
}

/* Reads blocks of the device ARG, each into a page of its cache. */
static void test_wait(void)
{
	int fd = open(arg, O_RDONLY);
	char *p, block[PAGE];
	unsigned long i;

	p = mmap(NULL, 256 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || p == MAP_FAILED ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) ||
	    madvise(p, 256 * PAGE, MADV_RANDOM))
		die("open the device");
	for (i = 0; i < 256; i++) {
		if (pread(fd, block, PAGE, i * PAGE) != PAGE)
			die("read");
		touch_read(p + i * PAGE);
		printf("page %lu\n", pfn_of(p + i * PAGE));
	}
}

/* A line of /proc/meminfo, in kilobytes. */
static unsigned long kb_of(const char *name)
{
	size_t len = strlen(name);
	unsigned long kb = 0;
	char line[100];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, len) && line[len] == ':')
			kb = strtoul(line + len + 1, NULL, 10);
	}
	if (f)
		fclose(f);
	return kb;
}

/*
 * Reserves more than is free, so that who needs a page has to look for it: in
 * the cache, which our caller has filled.
 */
static void test_shrink(void)
{
	int fd = open("/proc/sys/vm/min_free_kbytes", O_RDWR);
	char was[32], text[32], *p = new_map(4096 * PAGE);
	ssize_t len = read(fd, was, sizeof(was));
	unsigned long i;

	if (kb_of("Buffers") < 65536)
		die("find a cache that can go");
	snprintf(text, sizeof(text), "%lu\n", kb_of("MemFree") + 8192);
	if (len <= 0 || pwrite(fd, text, strlen(text), 0) < 0)
		die("reserve memory");
	for (i = 0; i < 4096; i++)
		touch_write(p + i * PAGE);
	if (pwrite(fd, was, len, 0) != len)
		die("reserve no more");
}

static void test_sleep(void)
{
	for (;;)
		pause();
}

/* ========================================================================== */

static const struct {
	const char	*name;
	void		(*run)(void);
} cases[] = {
	{ "calls", test_calls },
	{ "more-calls", test_more_calls },
	{ "messages", test_messages },
	{ "udp", test_udp },
	{ "tcp", test_tcp },
	{ "ipc-create", test_ipc_create },
	{ "msg", test_msg },
	{ "sem", test_sem },
	{ "shm", test_shm },
	{ "ipc-call", test_ipc_call },
	{ "files", test_files },
	{ "places", test_places },
	{ "looks", test_looks },
	{ "exec", test_exec },
	{ "maps", test_maps },
	{ "faults", test_faults },
	{ "segv", test_segv },
	{ "pages", test_pages },
	{ "swap", test_swap },
	{ "wait", test_wait },
	{ "shrink", test_shrink },
	{ "sleep", test_sleep },
};

int main(int argc, char **argv)
{
	unsigned int i;
	char c;

	setvbuf(stdout, output, _IOFBF, sizeof(output));
	arg = argc > 2 ? argv[2] : "";
	for (i = 0; argc > 1 && i < ARRAY_SIZE(cases); i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		printf("ready\n");
		fflush(stdout);
		if (read(0, &c, 1) != 1)
			die("read");
		cases[i].run();
		return 0;
	}
	fprintf(stderr, "usage: %s CASE [ARG]\n", argv[0]);
	return 2;
}
