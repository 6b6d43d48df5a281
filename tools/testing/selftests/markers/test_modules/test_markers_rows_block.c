// SPDX-License-Identifier: GPL-2.0
/*
 * A disk in memory, whose driver has requests and does what the markers of block
 * devices tell of: it puts the next "requeue" requests back, and passes none on
 * while "hold" is set.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/bvec.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/vmalloc.h>

#define SECTORS		2048

static struct blk_mq_tag_set tags;
static struct gendisk *disk;
static char *contents;

static unsigned int requeue;
module_param(requeue, uint, 0600);

static bool hold;

static void let_go(void)
{
	if (hold)
		blk_mq_unquiesce_queue(disk->queue);
	hold = false;
}

static int hold_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(val, &on);

	if (ret)
		return ret;
	if (!disk)
		return -ENODEV;
	if (!on) {
		let_go();
	} else if (!hold) {
		blk_mq_quiesce_queue(disk->queue);
		hold = true;
	}
	return 0;
}

static const struct kernel_param_ops hold_ops = {
	.set = hold_set,
	.get = param_get_bool,
};
module_param_cb(hold, &hold_ops, &hold, 0600);

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx,
			     const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;
	char *p = contents + (blk_rq_pos(rq) << SECTOR_SHIFT);
	struct req_iterator iter;
	struct bio_vec bv;

	blk_mq_start_request(rq);
	if (requeue) {
		requeue--;
		blk_mq_requeue_request(rq, true);
		return BLK_STS_OK;
	}
	if (req_op(rq) != REQ_OP_READ && req_op(rq) != REQ_OP_WRITE) {
		blk_mq_end_request(rq, BLK_STS_NOTSUPP);
		return BLK_STS_OK;
	}
	rq_for_each_segment(bv, rq, iter) {
		if (rq_data_dir(rq) == WRITE)
			memcpy_from_bvec(p, &bv);
		else
			memcpy_to_bvec(&bv, p);
		p += bv.bv_len;
	}
	blk_mq_end_request(rq, BLK_STS_OK);
	return BLK_STS_OK;
}

static const struct blk_mq_ops ops = {
	.queue_rq = queue_rq,
};

static const struct block_device_operations fops = {
	.owner = THIS_MODULE,
};

static int __init test_markers_rows_block_init(void)
{
	struct queue_limits limits = { };
	int ret = -ENOMEM;

	contents = vzalloc(SECTORS << SECTOR_SHIFT);
	if (!contents)
		return -ENOMEM;
	tags.ops = &ops;
	tags.nr_hw_queues = 1;
	tags.queue_depth = 64;
	tags.numa_node = NUMA_NO_NODE;
	tags.flags = BLK_MQ_F_SHOULD_MERGE;
	ret = blk_mq_alloc_tag_set(&tags);
	if (ret)
		goto free_contents;
	disk = blk_mq_alloc_disk(&tags, &limits, NULL);
	if (IS_ERR(disk)) {
		ret = PTR_ERR(disk);
		goto free_tags;
	}
	disk->fops = &fops;
	strscpy(disk->disk_name, "test_markers", sizeof(disk->disk_name));
	set_capacity(disk, SECTORS);
	ret = add_disk(disk);
	if (ret)
		goto free_disk;
	return 0;

free_disk:
	put_disk(disk);
free_tags:
	blk_mq_free_tag_set(&tags);
free_contents:
	vfree(contents);
	return ret;
}
module_init(test_markers_rows_block_init);

static void __exit test_markers_rows_block_exit(void)
{
	let_go();
	del_gendisk(disk);
	put_disk(disk);
	blk_mq_free_tag_set(&tags);
	vfree(contents);
}
module_exit(test_markers_rows_block_exit);

MODULE_DESCRIPTION("A disk that the markers of block devices tell of");
MODULE_LICENSE("GPL");
