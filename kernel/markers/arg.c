// SPDX-License-Identifier: GPL-2.0
/* Arguments of a marker hit by their position. */

#include <linux/export.h>
#include <linux/marker.h>

#ifdef CONFIG_ARCH_HAS_MARKER_ARG
#include <asm/marker.h>
#endif

#include "format.h"

#ifdef CONFIG_ARCH_HAS_MARKER_ARG
static u64 marker_arg_read(const char *fmt, va_list *args,
			   const struct marker_field *field)
{
	return marker_field_slot(field, arch_marker_arg(args, field->index));
}
#else
static u64 marker_arg_read(const char *fmt, va_list *args,
			   const struct marker_field *field)
{
	struct marker_format_iter it;
	struct marker_field walked;
	u64 value = 0;
	va_list walk;

	va_copy(walk, *args);
	marker_format_start(&it, fmt);
	while (marker_format_next(&it, &walked) > 0) {
		value = marker_field_read(&walked, &walk);
		if (walked.index == field->index)
			break;
	}
	va_end(walk);
	return value;
}
#endif

/**
 * marker_arg - read an argument of a marker hit by its position
 * @fmt: the format that the handler was called with
 * @args: the arguments that it was called with, none of them read yet
 * @n: number of the argument, from 1, those that are not recorded counted too
 * @value: filled with the argument, extended to 64 bits as its type in @fmt
 *	   says
 *
 * For handlers that take any format, or that want one argument behind many. It
 * looks through @fmt on each call, which va_arg() does not, and leaves @args as
 * it is.
 *
 * Context: Any.
 * Return: true; false if there are fewer arguments than that.
 *
 * Example: if (marker_arg(fmt, args, 2, &value)) next_pid = value;
 */
bool marker_arg(const char *fmt, va_list *args, unsigned int n, u64 *value)
{
	struct marker_format_iter it;
	struct marker_field field;

	marker_format_start(&it, fmt);
	while (marker_format_next(&it, &field) > 0) {
		if (field.index + 1 == n) {
			*value = marker_arg_read(fmt, args, &field);
			return true;
		}
	}
	return false;
}
EXPORT_SYMBOL_GPL(marker_arg);
