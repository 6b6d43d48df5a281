// SPDX-License-Identifier: GPL-2.0
/*
 * Does in the kernel what the markers of interrupts, deferred work, the log,
 * lockups and locks are about, and tells what their records should be.
 *
 * call		what to do, one of the names in the table at the end
 * log		for each record that the last call should have made the name of
 *		the marker and the text, in lines, in order
 * irq		the interrupt line that is used
 * cpu		the other CPU that the last call made use of
 * fill		characters for a message
 *
 * From where the records before and behind should be around it hits
 * test_markers_rows_irq.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/irqdesc.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <asm/irq_regs.h>

#if defined(CONFIG_X86_LOCAL_APIC) && defined(CONFIG_SMP)
#include <asm/apic.h>
#include <asm/nmi.h>
#define HAVE_APIC	1
#else
#define HAVE_APIC	0
#endif

#define ROUNDS		5

static char log[4000];
static int log_len;
static unsigned int irq;
static unsigned int cpu;
static DECLARE_COMPLETION(reached);

static __printf(1, 2) void tell(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_len += vscnprintf(log + log_len, sizeof(log) - log_len, fmt, args);
	va_end(args);
}

static noinline void here(const char *what)
{
	trace_mark(test_markers_rows_irq, "in %s", what);
}

static void tell_here(const char *what)
{
	tell("test_markers_rows_irq in %s\n", what);
}

/* Keeps @cpu from being idle. */
static int spin(void *arg)
{
	complete(&reached);
	while (!kthread_should_stop()) {
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static struct task_struct *spin_start(void)
{
	struct task_struct *task;

	reinit_completion(&reached);
	task = kthread_create_on_cpu(spin, NULL, cpu, "test_rows/%u");
	if (IS_ERR(task))
		return task;
	wake_up_process(task);
	wait_for_completion(&reached);
	return task;
}

/* === Interrupts =========================================================== */

static int ids[2];

static void raise_irq(struct irq_work *unused)
{
	generic_handle_irq(irq);
}

static struct irq_work irq_work = IRQ_WORK_INIT_HARD(raise_irq);

/* On the CPU where it is to be. */
static void queue_irq(void *unused)
{
	irq_work_queue(&irq_work);
}

static irqreturn_t test_rows_first(int unused, void *id)
{
	here("first");
	return IRQ_NONE;
}

static irqreturn_t test_rows_second(int unused, void *id)
{
	here("second");
	return IRQ_HANDLED;
}

static irqreturn_t test_rows_wake(int unused, void *id)
{
	here("wake");
	return IRQ_WAKE_THREAD;
}

static irqreturn_t test_rows_threaded(int unused, void *id)
{
	here("thread");
	complete(&reached);
	return IRQ_HANDLED;
}

static void tell_entry(void)
{
	tell("kernel_irq_entry irq_id %u kernel_mode 1 ip 0x0\n", irq);
}

static void tell_handler(irq_handler_t handler, unsigned int ret)
{
	tell("kernel_irq_handler irq_id %u handler %pS ret %u\n", irq, handler,
	     ret);
}

static void tell_exit(unsigned int handled)
{
	tell("kernel_irq_exit irq_id %u handled %u\n", irq, handled);
}

static void tell_thread(void)
{
	tell("kernel_irq_thread_entry irq_id %u handler %pS\n", irq,
	     test_rows_threaded);
	tell_here("thread");
	tell("kernel_irq_thread_exit irq_id %u ret 1\n", irq);
}

/* Two share the line, and only the second one knows what it is about. */
static int do_irq(void)
{
	int ret;

	ret = request_irq(irq, test_rows_first, IRQF_SHARED, "first", &ids[0]);
	if (ret)
		return ret;
	ret = request_irq(irq, test_rows_second, IRQF_SHARED, "second",
			  &ids[1]);
	if (ret)
		goto out;
	irq_work_queue(&irq_work);
	irq_work_sync(&irq_work);
	free_irq(irq, &ids[1]);

	tell_entry();
	tell_here("first");
	tell_handler(test_rows_first, 0);
	tell_here("second");
	tell_handler(test_rows_second, 1);
	tell_exit(1);
out:
	free_irq(irq, &ids[0]);
	return ret;
}

static int do_thread(void)
{
	int ret;

	ret = request_threaded_irq(irq, test_rows_wake, test_rows_threaded,
				   IRQF_ONESHOT, "thread", &ids[0]);
	if (ret)
		return ret;
	reinit_completion(&reached);
	irq_work_queue(&irq_work);
	irq_work_sync(&irq_work);
	wait_for_completion(&reached);
	synchronize_irq(irq);
	free_irq(irq, &ids[0]);

	tell_entry();
	tell_here("wake");
	tell_handler(test_rows_wake, 2);
	tell_exit(2);
	tell_thread();
	return 0;
}

/* In the thread of the parent, which is us. */
static int do_nested(void)
{
	int ret;

	irq_set_nested_thread(irq, true);
	ret = request_threaded_irq(irq, NULL, test_rows_threaded, IRQF_ONESHOT,
				   "nested", &ids[0]);
	if (!ret) {
		handle_nested_irq(irq);
		free_irq(irq, &ids[0]);
		tell_thread();
	}
	irq_set_nested_thread(irq, false);
	return ret;
}

static irqreturn_t test_rows_percpu(int unused, void *id)
{
	here("percpu");
	return IRQ_HANDLED;
}

static irq_flow_handler_t find_percpu_flow(void)
{
#ifdef CONFIG_KPROBES
	struct kprobe kp = { .symbol_name = "handle_percpu_devid_irq" };

	/* It has no landing pad that an indirect call of ours could use. */
#ifdef CONFIG_X86
	if (cpu_feature_enabled(X86_FEATURE_IBT))
		return NULL;
#endif
	if (register_kprobe(&kp))
		return NULL;
	unregister_kprobe(&kp);
	return (irq_flow_handler_t)kp.addr;
#else
	return NULL;
#endif
}

static void percpu_on(void *unused)
{
	enable_percpu_irq(irq, IRQ_TYPE_NONE);
}

static void percpu_off(void *unused)
{
	disable_percpu_irq(irq);
}

/* As irq_set_percpu_devid(), which is not for modules. */
static int do_percpu(void)
{
	unsigned long status = IRQ_NOAUTOEN | IRQ_PER_CPU | IRQ_NOTHREAD |
			       IRQ_NOPROBE | IRQ_PER_CPU_DEVID;
	irq_flow_handler_t flow = find_percpu_flow();
	struct irq_desc *desc = irq_data_to_desc(irq_get_irq_data(irq));
	int __percpu *id;
	int ret;

	if (!flow)
		return -EOPNOTSUPP;
	id = alloc_percpu(int);
	desc->percpu_enabled = kzalloc(sizeof(*desc->percpu_enabled),
				       GFP_KERNEL);
	if (!id || !desc->percpu_enabled) {
		ret = -ENOMEM;
		goto out;
	}
	desc->percpu_affinity = cpu_possible_mask;
	irq_modify_status(irq, 0, status);
	irq_set_handler(irq, flow);
	ret = request_percpu_irq(irq, test_rows_percpu, "percpu", id);
	if (!ret) {
		smp_call_function_single(cpu, percpu_on, NULL, 1);
		smp_call_function_single(cpu, queue_irq, NULL, 1);
		irq_work_sync(&irq_work);
		smp_call_function_single(cpu, percpu_off, NULL, 1);
		free_percpu_irq(irq, id);
		tell_entry();
		tell_here("percpu");
		tell_handler(test_rows_percpu, 1);
		tell_exit(1);
	}
	irq_set_handler(irq, handle_simple_irq);
	irq_modify_status(irq, status, 0);
out:
	kfree(desc->percpu_enabled);
	desc->percpu_enabled = NULL;
	free_percpu(id);
	return ret;
}

static struct hrtimer hrtimer;
static unsigned int fires;

/* From the interrupt of a timer, so that there are registers. */
static enum hrtimer_restart fire(struct hrtimer *timer)
{
	struct pt_regs *regs = get_irq_regs();

	tell("kernel_irq_entry irq_id %u kernel_mode %u ip %#lx\n", irq,
	     regs ? !user_mode(regs) : 1,
	     regs ? instruction_pointer(regs) : 0);
	generic_handle_irq(irq);
	if (!--fires) {
		complete(&reached);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ms_to_ktime(5));
	return HRTIMER_RESTART;
}

static void fire_start(void *unused)
{
	hrtimer_start(&hrtimer, ms_to_ktime(5), HRTIMER_MODE_REL_PINNED_HARD);
}

static int do_regs(void)
{
	int ret;

	ret = request_irq(irq, test_rows_second, 0, "regs", &ids[0]);
	if (ret)
		return ret;
	reinit_completion(&reached);
	fires = 20;
	hrtimer_init(&hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer.function = fire;
	smp_call_function_single(cpu, fire_start, NULL, 1);
	wait_for_completion(&reached);
	hrtimer_cancel(&hrtimer);
	free_irq(irq, &ids[0]);
	return 0;
}

/* === Vectors and NMIs ===================================================== */

#if HAVE_APIC
static void called(void *unused)
{
	here("call");
}

static void sent(void *unused)
{
}

/* Calls functions on @cpu, and sends it the other vectors with nothing to do. */
static int do_vectors(void)
{
	struct task_struct *task = spin_start();
	unsigned int i;

	if (IS_ERR(task))
		return PTR_ERR(task);
	for (i = 0; i < ROUNDS; i++) {
		smp_call_function_single(cpu, called, NULL, 1);
		__apic_send_IPI_mask(cpumask_of(cpu), CALL_FUNCTION_VECTOR);
		smp_call_function_single(cpu, sent, NULL, 1);
		arch_smp_send_reschedule(cpu);
		smp_call_function_single(cpu, sent, NULL, 1);
	}
	kthread_stop(task);
	return 0;
}

static bool nmi_wanted;
static bool nmi_printk;

static int test_rows_nmi(unsigned int val, struct pt_regs *regs)
{
	if (!READ_ONCE(nmi_wanted))
		return NMI_DONE;
	here("nmi");
	if (nmi_printk)
		pr_warn("from NMI\n");
	else
		udelay(100);
	WRITE_ONCE(nmi_wanted, false);
	return NMI_HANDLED;
}

static int send_nmis(unsigned int n)
{
	unsigned int i;
	int ret;

	ret = register_nmi_handler(NMI_LOCAL, test_rows_nmi, 0, KBUILD_MODNAME);
	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		WRITE_ONCE(nmi_wanted, true);
		__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		while (READ_ONCE(nmi_wanted))
			cpu_relax();
	}
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	return 0;
}

/* What is told of the time is the most that all of them took. */
static int do_nmi(void)
{
	u64 start = ktime_get_ns();
	int ret;

	nmi_printk = false;
	ret = send_nmis(ROUNDS);
	tell("kernel_arch_nmi handler %pS ns %llu handled 1\n", test_rows_nmi,
	     ktime_get_ns() - start);
	return ret;
}

static int do_printk_nmi(void)
{
	nmi_printk = true;
	tell("kernel_vprintk loglevel 4 string " KBUILD_MODNAME
	     ": from NMI caller %u\n", 0x80000000 + cpu);
	return send_nmis(1);
}
#else
static int do_vectors(void) { return -EOPNOTSUPP; }
static int do_nmi(void) { return -EOPNOTSUPP; }
static int do_printk_nmi(void) { return -EOPNOTSUPP; }
#endif

/* === Softirqs and tasklets ================================================ */

static void test_rows_callback(struct tasklet_struct *unused)
{
	here("callback");
}

static void test_rows_func(unsigned long data)
{
	here("func");
}

static DECLARE_TASKLET(tasklet, test_rows_callback);
static struct tasklet_struct tasklet_old;

static void run_tasklet(struct tasklet_struct *t, bool high, const char *what)
{
	const char *list = high ? "high" : "low";
	unsigned int nr = high ? HI_SOFTIRQ : TASKLET_SOFTIRQ;
	unsigned int i;

	local_bh_disable();
	/* It is in the list already, the second time. */
	for (i = 0; i < 2; i++) {
		if (high)
			tasklet_hi_schedule(t);
		else
			tasklet_schedule(t);
	}
	local_bh_enable();
	tasklet_kill(t);

	tell("kernel_softirq_raise softirq_id %u\n", nr);
	tell("kernel_softirq_entry softirq_id %u\n", nr);
	tell("kernel_tasklet_%s_entry func %pS data %lu\n", list, t->func,
	     t->data);
	tell_here(what);
	tell("kernel_tasklet_%s_exit func %pS data %lu\n", list, t->func,
	     t->data);
	tell("kernel_softirq_exit softirq_id %u\n", nr);
}

static int do_tasklet(void)
{
	tasklet_init(&tasklet_old, test_rows_func, 1234567890123UL);
	run_tasklet(&tasklet, false, "callback");
	run_tasklet(&tasklet_old, false, "func");
	run_tasklet(&tasklet, true, "callback");
	run_tasklet(&tasklet_old, true, "func");
	return 0;
}

/* === Workqueues =========================================================== */

static void test_rows_work(struct work_struct *unused)
{
	here("work");
}

static void test_rows_freed(struct work_struct *work)
{
	here("freed");
	kfree(work);
}

static DECLARE_WORK(work, test_rows_work);
/* Its own, since lockdep takes what is done in a softirq for another thing. */
static DECLARE_WORK(bh_work, test_rows_work);
static DECLARE_DELAYED_WORK(delayed, test_rows_work);

static void tell_work(void *work, work_func_t func, const char *what)
{
	tell("kernel_workqueue_queue work %p function %pS\n", work, func);
	tell("kernel_workqueue_start work %p function %pS\n", work, func);
	tell_here(what);
	tell("kernel_workqueue_end work %p function %pS\n", work, func);
}

/* Ordinary, by softirq, after a delay, and one that is gone when it is done. */
static int do_work(void)
{
	struct workqueue_struct *wq = alloc_workqueue("test_rows", 0, 0);
	struct workqueue_struct *bh = alloc_workqueue("test_rows_bh", WQ_BH, 0);
	struct work_struct *freed = kzalloc(sizeof(*freed), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!wq || !bh || !freed) {
		kfree(freed);
		goto out;
	}
	queue_work(wq, &work);
	flush_workqueue(wq);
	tell_work(&work, test_rows_work, "work");

	local_bh_disable();
	queue_work(bh, &bh_work);
	/* It waits already. */
	queue_work(bh, &bh_work);
	local_bh_enable();
	flush_work(&bh_work);
	tell_work(&bh_work, test_rows_work, "work");

	queue_delayed_work(wq, &delayed, 2);
	flush_delayed_work(&delayed);
	tell_work(&delayed.work, test_rows_work, "work");

	INIT_WORK(freed, test_rows_freed);
	queue_work(wq, freed);
	flush_workqueue(wq);
	tell_work(freed, test_rows_freed, "freed");
	ret = 0;
out:
	if (wq)
		destroy_workqueue(wq);
	if (bh)
		destroy_workqueue(bh);
	return ret;
}

/* === The log ============================================================== */

static void tell_log(unsigned int level, const char *text)
{
	tell("kernel_vprintk loglevel %u string " KBUILD_MODNAME
	     ": %s caller %u\n", level, text, current->pid);
}

static char fill[400];
module_param_string(fill, fill, sizeof(fill), 0200);

/* Levels, what looks like none, none, and one that is longer than a string. */
static int do_printk(void)
{
	static char text[256 - sizeof(KBUILD_MODNAME ": ") + 1];

	pr_emerg("an emergency\n");
	tell_log(0, "an emergency");
	pr_err("%d errors\n", 2);
	tell_log(3, "2 errors");
	printk(KERN_DEBUG pr_fmt("debugging %s"), "<3>more");
	tell_log(7, "debugging <3>more");
	pr_info("\n");
	tell_log(6, "");
	pr_info("%s\n", fill);
	strscpy(text, fill);
	tell_log(6, text);
	return 0;
}

static int do_printk_cont(void)
{
	pr_notice("this");
	pr_cont(" goes on");
	pr_cont(" and ends\n");
	tell_log(5, "this");
	tell("kernel_vprintk loglevel 5 string  goes on caller %u\n",
	     current->pid);
	tell("kernel_vprintk loglevel 5 string  and ends caller %u\n",
	     current->pid);
	return 0;
}

static void print(struct irq_work *unused)
{
	pr_warn("from an interrupt\n");
}

static int do_printk_irq(void)
{
	struct irq_work printing = IRQ_WORK_INIT_HARD(print);

	irq_work_queue(&printing);
	irq_work_sync(&printing);
	tell("kernel_vprintk loglevel 4 string " KBUILD_MODNAME
	     ": from an interrupt caller %u\n",
	     0x80000000 + raw_smp_processor_id());
	return 0;
}

static pid_t printer;
static unsigned int handled;

static void on_vprintk(void *probe_private, void *call_private, const char *fmt,
		       va_list *args)
{
	if (current->pid != printer || !in_task())
		return;
	handled++;
	pr_info("about a message\n");
}

/* With a handler that itself prints. */
static int do_printk_handler(void)
{
	int ret;

	printer = current->pid;
	handled = 0;
	ret = marker_probe_register("kernel_vprintk", NULL, on_vprintk, NULL);
	if (ret)
		return ret;
	pr_info("a message\n");
	marker_probe_unregister("kernel_vprintk", on_vprintk, NULL);
	marker_synchronize_unregister();
	tell("handled %u\n", handled);
	return 0;
}

/* === NAPI ================================================================= */

#ifdef CONFIG_NET
static struct napi_struct napi;
static int polls;

static void tell_napi(const char *what)
{
	tell("net_napi_%s napi %p dev test_rows\n", what, &napi);
}

static void tell_poll(int work, int budget)
{
	tell("net_napi_poll napi %p dev test_rows work %d budget %d\n", &napi,
	     work, budget);
}

/* What the hits are depends on what is done here, so it is told here. */
static int poll(struct napi_struct *unused, int budget)
{
	int work = 0;

	switch (++polls) {
	case 1:
		work = budget;
		break;
	case 2:
		napi_schedule(&napi);
		napi_complete_done(&napi, 1);
		tell_napi("schedule");
		work = 1;
		break;
	case 3:
		tell_napi("complete");
		napi_complete_done(&napi, 0);
		break;
	}
	tell_poll(work, budget);
	return work;
}

static int do_napi(void)
{
	struct net_device *dev = alloc_netdev(0, "test_rows", NET_NAME_UNKNOWN,
					      ether_setup);

	if (!dev)
		return -ENOMEM;
	polls = 0;
	netif_napi_add(dev, &napi, poll);
	napi_enable(&napi);
	tell_napi("schedule");
	local_bh_disable();
	napi_schedule(&napi);
	/* It is scheduled already. */
	napi_schedule(&napi);
	local_bh_enable();
	while (READ_ONCE(polls) < 3)
		msleep(20);
	napi_disable(&napi);
	/* Waits for whoever polls. */
	netif_napi_del(&napi);
	free_netdev(dev);
	return 0;
}
#else
static int do_napi(void) { return -EOPNOTSUPP; }
#endif

/* === Locks ================================================================ */

static DEFINE_MUTEX(test_rows_mutex);
static DECLARE_RWSEM(test_rows_rwsem);
static struct semaphore test_rows_semaphore;

static noinline int take_mutex(void)
{
	mutex_lock(&test_rows_mutex);
	mutex_unlock(&test_rows_mutex);
	return 0;
}

static noinline int take_mutex_intr(void)
{
	int ret = mutex_lock_interruptible(&test_rows_mutex);

	if (!ret)
		mutex_unlock(&test_rows_mutex);
	return ret;
}

static noinline int take_read(void)
{
	down_read(&test_rows_rwsem);
	up_read(&test_rows_rwsem);
	return 0;
}

static noinline int take_read_intr(void)
{
	int ret = down_read_interruptible(&test_rows_rwsem);

	if (!ret)
		up_read(&test_rows_rwsem);
	return ret;
}

static noinline int take_write(void)
{
	down_write(&test_rows_rwsem);
	up_write(&test_rows_rwsem);
	return 0;
}

static noinline int take_write_kill(void)
{
	int ret = down_write_killable(&test_rows_rwsem);

	if (!ret)
		up_write(&test_rows_rwsem);
	return ret;
}

static noinline int take_sem(void)
{
	down(&test_rows_semaphore);
	up(&test_rows_semaphore);
	return 0;
}

static noinline int take_sem_intr(void)
{
	int ret = down_interruptible(&test_rows_semaphore);

	if (!ret)
		up(&test_rows_semaphore);
	return ret;
}

static noinline int take_sem_kill(void)
{
	int ret = down_killable(&test_rows_semaphore);

	if (!ret)
		up(&test_rows_semaphore);
	return ret;
}

static noinline int take_sem_time(void)
{
	int ret = down_timeout(&test_rows_semaphore, 2);

	if (!ret)
		up(&test_rows_semaphore);
	return ret;
}

enum kind { KIND_MUTEX, KIND_READ, KIND_WRITE, KIND_SEMAPHORE };

/* What a task does that has to wait, and what comes of it. */
static const struct taker {
	enum kind kind;
	int (*take)(void);
	int ret;
} takers[] = {
	{ KIND_MUTEX,	take_mutex,		0 },
	{ KIND_MUTEX,	take_mutex_intr,	0 },
	{ KIND_MUTEX,	take_mutex_intr,	-EINTR },
	{ KIND_READ,	take_read,		0 },
	{ KIND_READ,	take_read_intr,		-EINTR },
	{ KIND_WRITE,	take_write,		0 },
	{ KIND_WRITE,	take_write_kill,	-EINTR },
	{ KIND_SEMAPHORE,	take_sem,		0 },
	{ KIND_SEMAPHORE,	take_sem_intr,		-EINTR },
	{ KIND_SEMAPHORE,	take_sem_kill,		-EINTR },
	{ KIND_SEMAPHORE,	take_sem_time,		-ETIME },
};

static void hold(enum kind kind)
{
	switch (kind) {
	case KIND_MUTEX:
		mutex_lock(&test_rows_mutex);
		break;
	case KIND_READ:
	case KIND_WRITE:
		down_write(&test_rows_rwsem);
		break;
	case KIND_SEMAPHORE:
		down(&test_rows_semaphore);
		break;
	}
}

static void release(enum kind kind)
{
	switch (kind) {
	case KIND_MUTEX:
		mutex_unlock(&test_rows_mutex);
		break;
	case KIND_READ:
	case KIND_WRITE:
		up_write(&test_rows_rwsem);
		break;
	case KIND_SEMAPHORE:
		up(&test_rows_semaphore);
		break;
	}
}

static void tell_wait(const struct taker *t)
{
	switch (t->kind) {
	case KIND_MUTEX:
		tell("lock_mutex_wait_start lock %pS ip %ps\n",
		     &test_rows_mutex, t->take);
		tell("lock_mutex_wait_end lock %pS ret %d\n",
		     &test_rows_mutex, t->ret);
		break;
	case KIND_READ:
	case KIND_WRITE:
		tell("lock_rwsem_wait_start lock %pS ip %ps write %d\n",
		     &test_rows_rwsem, t->take, t->kind == KIND_WRITE);
		tell("lock_rwsem_wait_end lock %pS write %d ret %d\n",
		     &test_rows_rwsem, t->kind == KIND_WRITE, t->ret);
		break;
	case KIND_SEMAPHORE:
		tell("lock_semaphore_wait_start lock %pS ip %ps\n",
		     &test_rows_semaphore, t->take);
		tell("lock_semaphore_wait_end lock %pS ret %d\n",
		     &test_rows_semaphore, t->ret);
		break;
	}
}

/* Takes the lock, and is there with what became of it until it is stopped. */
static int taking(void *arg)
{
	const struct taker *t = arg;
	int ret;

	allow_signal(SIGKILL);
	complete(&reached);
	ret = t->take();
	while (!kthread_should_stop()) {
		flush_signals(current);
		schedule_timeout_uninterruptible(1);
	}
	return ret;
}

/*
 * Each of them waits for a lock that we have, and that we do not run with:
 * nobody spins for a lock whose owner sleeps.
 */
static int do_locks(void)
{
	struct task_struct *task;
	size_t i;
	int ret;

	sema_init(&test_rows_semaphore, 1);
	for (i = 0; i < ARRAY_SIZE(takers); i++) {
		const struct taker *t = &takers[i];

		hold(t->kind);
		reinit_completion(&reached);
		task = kthread_run(taking, (void *)t, "test_rows");
		if (IS_ERR(task)) {
			release(t->kind);
			return PTR_ERR(task);
		}
		wait_for_completion(&reached);
		msleep(50);
		while (!READ_ONCE(task->__state))
			msleep(20);
		if (t->ret == -EINTR)
			send_sig(SIGKILL, task, 1);
		if (t->ret)
			msleep(50);
		if (!t->ret)
			release(t->kind);
		ret = kthread_stop(task);
		if (t->ret)
			release(t->kind);
		if (ret != t->ret) {
			pr_warn("%ps returned %d\n", t->take, ret);
			return -EINVAL;
		}
		tell_wait(t);
	}
	return 0;
}

/* === What hangs =========================================================== */

static struct task_struct *hung;

static int hang(void *unused)
{
	complete(&reached);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int do_hang(void)
{
	struct task_struct *task;

	if (hung)
		return -EBUSY;
	reinit_completion(&reached);
	task = kthread_run(hang, NULL, "test_rows");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&reached);
	hung = task;
	tell("pid %d\n", hung->pid);
	return 0;
}

static int do_hang_end(void)
{
	if (hung)
		kthread_stop(hung);
	hung = NULL;
	return 0;
}

/*
 * A soft lockup is one after more than four seconds here. The watchdog counts in
 * 2^30 ns, both ends rounded down, and looks every 0.8 s: up to 6.2 s.
 */
#define LOCKUP_SECONDS	8

static noinline void lock_up(bool hard)
{
	u64 end = ktime_get_ns() + LOCKUP_SECONDS * NSEC_PER_SEC;

	preempt_disable();
	if (hard)
		local_irq_disable();
	while (ktime_get_ns() < end)
		cpu_relax();
	if (hard)
		local_irq_enable();
	preempt_enable();
}

static int locking_up(void *arg)
{
	lock_up(*(bool *)arg);
	complete(&reached);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

/* Keeps @cpu to itself. */
static int do_lockup(bool hard)
{
	struct task_struct *task;

	reinit_completion(&reached);
	task = kthread_create_on_cpu(locking_up, &hard, cpu, "test_rows/%u");
	if (IS_ERR(task))
		return PTR_ERR(task);
	tell("pid %d\ncpu %u\n", task->pid, cpu);
	wake_up_process(task);
	wait_for_completion(&reached);
	kthread_stop(task);
	return 0;
}

static int do_softlockup(void) { return do_lockup(false); }
static int do_hardlockup(void) { return do_lockup(true); }

/* Nobody can ask for records when another kernel has begun. */
static void on_kexec(void *name, void *call_private, const char *fmt,
		     va_list *args)
{
	u64 image = 0, start = 0;

	marker_arg(fmt, args, 1, &image);
	marker_arg(fmt, args, 2, &start);
	pr_emerg("%s image %d start %#llx\n", (char *)name, !!image, start);
}

static int do_kexec(void)
{
	int ret;

	ret = marker_probe_register("kernel_kexec", NULL, on_kexec,
				    "kernel_kexec");
	if (ret)
		return ret;
	ret = marker_probe_register("kernel_crash_kexec", NULL, on_kexec,
				    "kernel_crash_kexec");
	if (!ret)
		__module_get(THIS_MODULE);
	return ret;
}

/* === What ends a task ===================================================== */

#ifdef CONFIG_X86_64
static int null_thread(void *arg)
{
	asm volatile("lea 1f(%%rip), %%rax\n\t"
		     "mov %%rax, %0\n"
		     "1:\tmov (%1), %%rax"
		     : "=m" (*(unsigned long *)arg) : "r" (0UL)
		     : "rax", "memory");
	return 0;
}

static int gp_thread(void *arg)
{
	asm volatile("lea 1f(%%rip), %%rax\n\t"
		     "mov %%rax, %0\n"
		     "1:\tmov (%1), %%rax"
		     : "=m" (*(unsigned long *)arg) : "r" (1UL << 63)
		     : "rax", "memory");
	return 0;
}

/* There is no such instruction, but no end of a BUG() either. */
static int bug_thread(void *arg)
{
	asm volatile("lea 1f(%%rip), %%rax\n\t"
		     "mov %%rax, %0\n"
		     "1:\t.byte 0x0f, 0x0a"
		     : "=m" (*(unsigned long *)arg) : : "rax", "memory");
	return 0;
}

static unsigned long oops_ip;

static int oops(int (*func)(void *), const char *info)
{
	struct task_struct *task;

	oops_ip = 0;
	task = kthread_create(func, &oops_ip, "test_rows");
	if (IS_ERR(task))
		return PTR_ERR(task);
	get_task_struct(task);
	tell("pid %d\n", task->pid);
	wake_up_process(task);
	while (!READ_ONCE(task->exit_state))
		msleep(20);
	put_task_struct(task);
	tell("kernel_oops ip %#lx info %s\n", oops_ip, info);
	return 0;
}

static int do_oops_null(void)
{
	return oops(null_thread, "Oops");
}

static int do_oops_gp(void)
{
	return oops(gp_thread,
		    "general protection fault, probably for non-canonical address 0x8000000000000000");
}

static int do_oops_bug(void)
{
	return oops(bug_thread, "invalid opcode");
}
#else
static int do_oops_null(void) { return -EOPNOTSUPP; }
static int do_oops_gp(void) { return -EOPNOTSUPP; }
static int do_oops_bug(void) { return -EOPNOTSUPP; }
#endif

/* === Parameters =========================================================== */

static const struct {
	const char *name;
	int (*func)(void);
} calls[] = {
	{ "irq",		do_irq },
	{ "thread",		do_thread },
	{ "nested",		do_nested },
	{ "percpu",		do_percpu },
	{ "regs",		do_regs },
	{ "vectors",		do_vectors },
	{ "nmi",		do_nmi },
	{ "tasklet",		do_tasklet },
	{ "work",		do_work },
	{ "printk",		do_printk },
	{ "printk_cont",	do_printk_cont },
	{ "printk_irq",		do_printk_irq },
	{ "printk_nmi",		do_printk_nmi },
	{ "printk_handler",	do_printk_handler },
	{ "napi",		do_napi },
	{ "locks",		do_locks },
	{ "hang",		do_hang },
	{ "hang_end",		do_hang_end },
	{ "softlockup",		do_softlockup },
	{ "hardlockup",		do_hardlockup },
	{ "kexec",		do_kexec },
	{ "oops_null",		do_oops_null },
	{ "oops_gp",		do_oops_gp },
	{ "oops_bug",		do_oops_bug },
};

static int call_set(const char *val, const struct kernel_param *kp)
{
	int ret = -EPROTO;
	size_t i;

	log_len = 0;
	log[0] = '\0';
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (cpu < nr_cpu_ids && sysfs_streq(val, calls[i].name))
			ret = calls[i].func();
	}
	migrate_enable();
	return ret;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
};
module_param_cb(call, &call_ops, NULL, 0200);

static int log_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s", log);
}

static const struct kernel_param_ops log_ops = {
	.get = log_get,
};
module_param_cb(log, &log_ops, NULL, 0400);
module_param(irq, uint, 0400);
module_param(cpu, uint, 0400);

static int __init test_markers_rows_irq_init(void)
{
	int ret = irq_alloc_desc(NUMA_NO_NODE);

	if (ret < 0)
		return ret;
	irq = ret;
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(irq, IRQ_NOREQUEST);
	return 0;
}
module_init(test_markers_rows_irq_init);

static void __exit test_markers_rows_irq_exit(void)
{
	do_hang_end();
	irq_free_desc(irq);
}
module_exit(test_markers_rows_irq_exit);

MODULE_DESCRIPTION("What markers of interrupts and deferred work are about");
MODULE_LICENSE("GPL");
