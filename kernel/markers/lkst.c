// SPDX-License-Identifier: GPL-2.0
/*
 * The names that LKST, the Linux kernel state tracer, had for the places that
 * are marked. Each of these markers is a second trace event, lkst:<NAME>, which
 * records the same.
 */

#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/export.h>
#include <linux/string.h>

#include "lkst.h"

static const struct {
	const char *name;
	const char *marker;
} lkst_names[] = {
	/* Processes */
	{ "PROCESS_CONTEXTSWITCH",	"kernel_sched_schedule" },
	{ "PROCESS_WAKEUP",		"kernel_sched_try_wakeup" },
	{ "PROCESS_WAKEUP_NEW",		"kernel_sched_wakeup_new_task" },
	{ "PROCESS_FORK",		"kernel_process_fork" },
	{ "PROCESS_EXEC",		"kernel_process_exec" },
	{ "PROCESS_EXIT",		"kernel_process_exit" },
	{ "PROCESS_WAIT",		"kernel_process_wait" },

	/* Signals */
	{ "SIGNAL_SEND",		"kernel_send_signal" },
	{ "SIGNAL_HANDLE",		"kernel_signal_handle" },

	/* Interrupts, deferred work and exceptions */
	{ "INT_HARDWARE_ENTRY",		"kernel_irq_entry" },
	{ "INT_HARDWARE_EXIT",		"kernel_irq_exit" },
	{ "INT_VECTOR_ENTRY",		"kernel_arch_vector_entry" },
	{ "INT_VECTOR_EXIT",		"kernel_arch_vector_exit" },
	{ "INT_SOFTIRQ_ENTRY",		"kernel_softirq_entry" },
	{ "INT_SOFTIRQ_EXIT",		"kernel_softirq_exit" },
	{ "INT_TASKLET_ENTRY",		"kernel_tasklet_low_entry" },
	{ "INT_TASKLET_EXIT",		"kernel_tasklet_low_exit" },
	{ "INT_TASKLETHI_ENTRY",	"kernel_tasklet_high_entry" },
	{ "INT_TASKLETHI_EXIT",		"kernel_tasklet_high_exit" },
	{ "EXCEPTION_ENTRY",		"kernel_arch_trap_entry" },
	{ "EXCEPTION_EXIT",		"kernel_arch_trap_exit" },
	{ "OOPS_DIE",			"kernel_oops" },
	{ "OOPS_PANIC",			"kernel_panic" },

	/* System calls */
	{ "SYSCALL_ENTRY",		"kernel_arch_syscall_entry" },
	{ "SYSCALL_EXIT",		"kernel_arch_syscall_exit" },

	/* Timers */
	{ "TIMER_ADD",			"kernel_timer_set" },
	{ "TIMER_MOD",			"kernel_timer_mod" },
	{ "TIMER_DEL",			"kernel_timer_del" },
	{ "TIMER_RUN",			"kernel_timer_run" },

	/* Memory */
	{ "MEM_PAGE_ALLOC",		"mm_page_alloc" },
	{ "MEM_PAGE_FREE",		"mm_page_free" },
	{ "MEM_KMALLOC",		"mm_kmalloc" },
	{ "MEM_KFREE",			"mm_kfree" },
	{ "MEM_CACHE_ALLOC",		"mm_cache_alloc" },
	{ "MEM_CACHE_FREE",		"mm_cache_free" },
	{ "MEM_VMALLOC",		"mm_vmalloc" },
	{ "MEM_VFREE",			"mm_vfree" },
	{ "MEM_FAULT_ENTRY",		"mm_fault_entry" },
	{ "MEM_FAULT_EXIT",		"mm_fault_exit" },
	{ "MEM_DO_NOPAGE",		"mm_no_page" },
	{ "MEM_DO_WPPAGE",		"mm_wp_page" },
	{ "MEM_DO_SWAPPAGE",		"mm_swap_page" },
	{ "MEM_SWAPOUT",		"mm_swap_out" },
	{ "MEM_SWAPIN",			"mm_swap_in" },
	{ "MEM_SHRINK",			"mm_shrink_entry" },
	{ "MEM_OOM",			"mm_oom_kill" },

	/* Files and block devices */
	{ "FS_OPEN",			"fs_open" },
	{ "FS_CLOSE",			"fs_close" },
	{ "FS_READ",			"fs_read" },
	{ "FS_WRITE",			"fs_write" },
	{ "BLOCK_QUEUE",		"block_bio_queue" },
	{ "BLOCK_ISSUE",		"block_rq_issue" },
	{ "BLOCK_COMPLETE",		"block_rq_complete" },

	/* Network */
	{ "NET_PKTSEND",		"net_dev_xmit" },
	{ "NET_PKTRECV",		"net_dev_receive" },
	{ "NET_SOCKET",			"net_socket_create" },
	{ "NET_BIND",			"net_socket_bind" },
	{ "NET_CONNECT",		"net_socket_connect" },
	{ "NET_LISTEN",			"net_socket_listen" },
	{ "NET_ACCEPT",			"net_socket_accept" },
	{ "NET_SHUTDOWN",		"net_socket_shutdown" },

	/* Interprocess communication */
	{ "IPC_MSG_CREATE",		"ipc_msg_create" },
	{ "IPC_SEM_CREATE",		"ipc_sem_create" },
	{ "IPC_SHM_CREATE",		"ipc_shm_create" },
	{ "IPC_MSGSND",			"ipc_msg_send" },
	{ "IPC_MSGRCV",			"ipc_msg_receive" },
	{ "IPC_SEMOP",			"ipc_sem_op" },
	{ "IPC_SHMAT",			"ipc_shm_attach" },
	{ "IPC_SHMDT",			"ipc_shm_detach" },

	/* Locks */
	{ "LK_SPINLOCK",		"lock_spin_lock" },
	{ "LK_SPINTRYLOCK",		"lock_spin_trylock" },
	{ "LK_SPINUNLOCK",		"lock_spin_unlock" },
	{ "LK_RDLOCK",			"lock_read_lock" },
	{ "LK_RDUNLOCK",		"lock_read_unlock" },
	{ "LK_WRLOCK",			"lock_write_lock" },
	{ "LK_WRUNLOCK",		"lock_write_unlock" },

	/* The tracer itself */
	{ "LKST_INIT",			"lkst_init" },
	{ "LKST_KERNEL_DUMP",		"lkst_kernel_dump" },
	{ "LKST_MSET_XCHG",		"lkst_mset_xchg" },
	{ "LKST_BUFF_SHIFT",		"lkst_buff_shift" },
	{ "LKST_BUFF_OVWRTN",		"lkst_buff_ovwrtn" },
	{ "LKST_SYNC_UID",		"lkst_sync_uid" },
	{ "LKST_SYNC_GID",		"lkst_sync_gid" },
	{ "LKST_SYNC_PGID",		"lkst_sync_pgid" },
	{ "LKST_SYNC_TID",		"lkst_sync_tid" },

	/* Reserved: LKST has the names, and nothing that they stand for. */
	{ "LKST_BUFF_OVFLOW" },
	{ "LKST_EXTEND" },
	{ "LKST_EXTENDE" },
	{ "LKST_ETYPE_MAX" },
};

/* The name that LKST has for the marker of name @marker, or NULL. */
const char *lkst_name(const char *marker)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lkst_names); i++) {
		if (lkst_names[i].marker && !strcmp(lkst_names[i].marker, marker))
			return lkst_names[i].name;
	}
	return NULL;
}

/* Name number @nr, from 0, or NULL. Its @marker is NULL if it is reserved. */
const char *lkst_name_at(unsigned int nr, const char **marker)
{
	if (nr >= ARRAY_SIZE(lkst_names))
		return NULL;
	*marker = lkst_names[nr].marker;
	return lkst_names[nr].name;
}
EXPORT_SYMBOL_IF_KUNIT(lkst_name_at);
