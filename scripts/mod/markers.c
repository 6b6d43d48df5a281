// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel markers in the objects that modpost sees: checks the formats of their
 * sites, and writes Module.markers, a line for each marker of each module:
 *
 *	name<tab>module<tab>format
 *
 * Nothing is escaped, since a good format has neither tab nor newline; one
 * without arguments is a single blank.
 *
 * How sites are found
 *   A site is a struct marker_site in the section __markers, and begins with
 *   the pointers to its name and to its format. The rest of it, and with that
 *   its size, depends on the architecture and on the configuration. But each
 *   site is a static variable, so there is a symbol that says where it lies and
 *   how long it is, also after objects were linked to a larger one and after
 *   link time optimization, whatever its name is then. The pointers are
 *   relocations at the begin and one pointer behind it. Pairing up relocations
 *   in their order would do too, until another member of the struct has one.
 *   As the symbols have to cover the section without a gap, no site is missed
 *   in silence.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xalloc.h>
#include "modpost.h"

/* What the build accepts is what the kernel accepts: there is one parser. */
#include "../../kernel/markers/format.c"

/* As in kernel/markers/markers.h */
#define MARKER_NAME_LEN	255

/* A line of Module.markers. */
struct marker {
	const char *name;
	const char *module;
	const char *format;
	bool of_kernel;			/* that the module is built for */
};

static struct marker *markers;
static size_t num_markers;

struct site {
	Elf_Addr offset;
	Elf_Addr size;
	const char *source;		/* of a local symbol, or NULL */
};

/* A pointer in the section: where it is, and the string that it points to. */
struct pointer {
	Elf_Addr offset;
	const char *string;		/* NULL: to something that is no string */
};

/* One section __markers of one object. */
struct sites {
	struct site *site;
	size_t num_sites;
	struct pointer *pointer;
	size_t num_pointers;
};

static void markers_add(const char *name, const char *module,
			const char *format, bool of_kernel)
{
	/* Doubles its size whenever it is full. */
	if (!(num_markers & (num_markers - 1)))
		markers = xrealloc(markers, sizeof(*markers) *
				   (num_markers ? 2 * num_markers : 1));
	markers[num_markers++] = (struct marker) {
		.name = xstrdup(name),
		.module = xstrdup(module),
		.format = xstrdup(format),
		.of_kernel = of_kernel,
	};
}

/* The name that the module has in the running kernel. */
static char *marker_module_name(const struct module *mod)
{
	const char *base = strrchr(mod->name, '/');
	char *name = xstrdup(base ? base + 1 : mod->name);
	char *p;

	for (p = name; *p; p++) {
		if (*p == '-' || *p == ',')
			*p = '_';
	}
	return name;
}

/* What to show of a string that may be anything: one line of ASCII. */
static char *printable(const char *string)
{
	char *shown = xmalloc(4 * strlen(string) + 1);
	char *p = shown;

	for (; *string; string++) {
		if (marker_is_text(*string))
			*p++ = *string;
		else
			p += sprintf(p, "\\x%02x", (unsigned char)*string);
	}
	*p = '\0';
	return shown;
}

/* === Reading an object ==================================================== */

static int compare_sites(const void *a, const void *b)
{
	const struct site *site_a = a, *site_b = b;

	if (site_a->offset != site_b->offset)
		return site_a->offset < site_b->offset ? -1 : 1;
	if (site_a->size != site_b->size)
		return site_a->size < site_b->size ? -1 : 1;
	return 0;
}

static int compare_pointers(const void *a, const void *b)
{
	const struct pointer *pointer_a = a, *pointer_b = b;

	if (pointer_a->offset != pointer_b->offset)
		return pointer_a->offset < pointer_b->offset ? -1 : 1;
	return 0;
}

/* The symbols of a source file follow the one of the file. */
static void find_sites(struct sites *sites, struct elf_info *elf,
		       unsigned int secndx)
{
	size_t max = elf->symtab_stop - elf->symtab_start;
	const char *source = NULL;
	Elf_Sym *sym;

	sites->site = xmalloc(sizeof(*sites->site) * (max + 1));
	for (sym = elf->symtab_start; sym < elf->symtab_stop; sym++) {
		if (ELF_ST_TYPE(sym->st_info) == STT_FILE)
			source = elf->strtab + sym->st_name;
		if (ELF_ST_TYPE(sym->st_info) != STT_OBJECT ||
		    get_secindex(elf, sym) != secndx || !sym->st_size)
			continue;
		sites->site[sites->num_sites++] = (struct site) {
			.offset = sym->st_value,
			.size = sym->st_size,
			.source = ELF_ST_BIND(sym->st_info) == STB_LOCAL ?
				  source : NULL,
		};
	}
	qsort(sites->site, sites->num_sites, sizeof(*sites->site),
	      compare_sites);
}

/* The string at @offset of a section of the object, if there is one. */
static const char *string_at(struct elf_info *elf, unsigned int secndx,
			     Elf_Addr offset)
{
	const Elf_Shdr *section;
	const char *string;

	if (secndx == SHN_UNDEF || secndx >= elf->num_sections)
		return NULL;
	section = &elf->sechdrs[secndx];
	if (section->sh_type == SHT_NOBITS || offset >= section->sh_size)
		return NULL;
	string = (const char *)elf->hdr + section->sh_offset + offset;
	if (!memchr(string, '\0', section->sh_size - offset))
		return NULL;
	return string;
}

/*
 * A pointer in data is the plainest of relocations on all architectures, and
 * type 0 is none at all. Without a field of its own (SHT_REL) the addend lies
 * where the pointer is going to be.
 */
static bool read_pointer(struct pointer *pointer, struct elf_info *elf,
			 unsigned int secndx, unsigned int reloc_type,
			 const void *reloc)
{
	const Elf_Shdr *section = &elf->sechdrs[secndx];
	const Elf_Rel *rel = reloc;
	unsigned int r_type, r_sym;
	Elf_Addr addend;
	Elf_Sym *sym;

	get_rel_type_and_sym(elf, rel->r_info, &r_type, &r_sym);
	pointer->offset = TO_NATIVE(rel->r_offset);
	sym = elf->symtab_start + r_sym;
	if (!r_type || sym >= elf->symtab_stop ||
	    pointer->offset + sizeof(addend) > section->sh_size)
		return false;
	if (reloc_type == SHT_RELA)
		addend = TO_NATIVE(((const Elf_Rela *)reloc)->r_addend);
	else
		addend = TO_NATIVE(*(const Elf_Addr *)((char *)elf->hdr +
				   section->sh_offset + pointer->offset));
	pointer->string = string_at(elf, get_secindex(elf, sym),
				    sym->st_value + addend);
	return true;
}

static void find_pointers(struct sites *sites, struct elf_info *elf,
			  unsigned int secndx)
{
	unsigned int i;

	for (i = 0; i < elf->num_sections; i++) {
		const Elf_Shdr *relocs = &elf->sechdrs[i];
		const char *reloc, *stop;
		size_t size;

		if (relocs->sh_info != secndx)
			continue;
		if (relocs->sh_type == SHT_RELA)
			size = sizeof(Elf_Rela);
		else if (relocs->sh_type == SHT_REL)
			size = sizeof(Elf_Rel);
		else
			continue;

		sites->pointer = xrealloc(sites->pointer,
					  sizeof(*sites->pointer) *
					  (sites->num_pointers +
					   relocs->sh_size / size + 1));
		reloc = (const char *)elf->hdr + relocs->sh_offset;
		stop = reloc + relocs->sh_size;
		for (; reloc + size <= stop; reloc += size)
			sites->num_pointers +=
				read_pointer(sites->pointer +
					     sites->num_pointers, elf, secndx,
					     relocs->sh_type, reloc);
	}
	qsort(sites->pointer, sites->num_pointers, sizeof(*sites->pointer),
	      compare_pointers);
}

/* The string that the pointer at @offset points to. */
static const char *find_string(const struct sites *sites, Elf_Addr offset)
{
	struct pointer key = { .offset = offset }, *found;

	if (!sites->num_pointers)
		return NULL;
	found = bsearch(&key, sites->pointer, sites->num_pointers,
			sizeof(key), compare_pointers);
	return found ? found->string : NULL;
}

/* === Checks =============================================================== */

/* Where a site is, as far as the object tells: foo.o (bar.c) */
static char *place(const struct module *mod, const struct site *site)
{
	const char *source = site->source ?: "";
	char *text = xmalloc(strlen(mod->name) + strlen(source) + 8);

	if (source[0])
		sprintf(text, "%s.o (%s)", mod->name, source);
	else
		sprintf(text, "%s.o", mod->name);
	return text;
}

/*
 * SystemTap takes %h for a type that it does not have, and z and t for a
 * letter that is no conversion: it then reads all arguments behind wrongly.
 */
static void warn_systemtap(const char *where, const char *name,
			   const char *format)
{
	struct marker_format_iter it;
	struct marker_field field;

	marker_format_start(&it, format);
	while (marker_format_next(&it, &field) > 0) {
		/* All of these are in front of a single letter. */
		const char *length = format + field.end - 2;

		if (length == format + field.percent || !strchr("htz", *length))
			continue;
		warn("%s: marker \"%s\": format \"%s\": offset %u: SystemTap cannot read %%%c\n",
		     where, name, format, field.percent, *length);
	}
}

/* Returns whether the kernel is going to use the site. */
static bool check_site(const char *where, const char *name, const char *format,
		       bool warn_only)
{
	struct marker_format_error wrong;
	char *shown_name, *shown;

	if (strlen(name) > MARKER_NAME_LEN) {
		shown_name = printable(name);
		modpost_log(!warn_only, "%s: marker \"%s\": name longer than %u characters\n",
			    where, shown_name, MARKER_NAME_LEN);
		free(shown_name);
		return false;
	}
	if (marker_format_check(format, &wrong)) {
		shown_name = printable(name);
		shown = printable(format);
		modpost_log(!warn_only, "%s: marker \"%s\": format \"%s\": offset %u: %s\n",
			    where, shown_name, shown, wrong.offset, wrong.what);
		free(shown_name);
		free(shown);
		return false;
	}
	warn_systemtap(where, name, format);
	return true;
}

static void read_site(const struct sites *sites, const struct site *site,
		      const struct module *mod, const char *module,
		      bool warn_only)
{
	const char *name = find_string(sites, site->offset);
	const char *format = find_string(sites,
					 site->offset + sizeof(Elf_Addr));
	char *where = place(mod, site);

	if (!name || !format)
		error("%s: section __markers: no name or format at offset 0x%llx\n",
		      where, (unsigned long long)site->offset);
	else if (check_site(where, name, format, warn_only))
		markers_add(name, module, *format ? format : " ", false);
	free(where);
}

static void read_section(const struct module *mod, struct elf_info *elf,
			 unsigned int secndx, bool warn_only)
{
	char *module = marker_module_name(mod);
	struct sites sites = {};
	Elf_Addr covered = 0;
	size_t i;

	find_sites(&sites, elf, secndx);
	find_pointers(&sites, elf, secndx);
	for (i = 0; i < sites.num_sites; i++) {
		const struct site *site = &sites.site[i];

		/* One site may have two symbols. */
		if (i && !compare_sites(site - 1, site))
			continue;
		if (site->offset != covered)
			break;
		read_site(&sites, site, mod, module, warn_only);
		covered += site->size;
	}
	if (covered != elf->sechdrs[secndx].sh_size)
		error("%s.o: section __markers: no site at offset 0x%llx\n",
		      mod->name, (unsigned long long)covered);
	free(sites.site);
	free(sites.pointer);
	free(module);
}

/*
 * Notes and checks the sites of an object. @warn_only: bad ones are no error,
 * but left out.
 */
void markers_read_object(const struct module *mod, struct elf_info *elf,
			 bool warn_only)
{
	unsigned int i;

	for (i = 0; i < elf->num_sections; i++) {
		if (!strcmp(sec_name(elf, i), "__markers"))
			read_section(mod, elf, i, warn_only);
	}
}

/* === The file ============================================================= */

/* Takes the next line of a Module.markers apart. */
static bool next_line(const char *fname, char **pos, struct marker *marker)
{
	char *line = get_line(pos), *module, *format;

	if (!line)
		return false;
	module = strchr(line, '\t');
	format = module ? strchr(module + 1, '\t') : NULL;
	if (!format)
		fatal("%s: \"%s\" is no line of it; remove the file\n", fname,
		      line);
	*module++ = '\0';
	*format++ = '\0';
	*marker = (struct marker) {
		.name = line,
		.module = module,
		.format = format,
	};
	return true;
}

/*
 * Notes the lines of the Module.markers of an earlier run that tell of what
 * this one does not look at: those of @vmlinux and of @modules.
 */
void markers_keep(const char *fname, bool vmlinux, bool modules)
{
	struct marker marker;
	char *buf, *pos;

	if (access(fname, F_OK))
		return;
	buf = read_text_file(fname);
	pos = buf;
	while (next_line(fname, &pos, &marker)) {
		if (strcmp(marker.module, "vmlinux") ? modules : vmlinux)
			markers_add(marker.name, marker.module, marker.format,
				    false);
	}
	free(buf);
}

static bool has_markers(const char *module)
{
	size_t i;

	for (i = 0; i < num_markers; i++) {
		if (!markers[i].of_kernel && !strcmp(markers[i].module, module))
			return true;
	}
	return false;
}

/*
 * Notes the markers of the kernel that modules are built for, to compare theirs
 * with. An older build of the same module is nothing to compare with.
 */
void markers_compare(const char *fname)
{
	char *buf = read_text_file(fname), *pos = buf;
	struct marker marker;

	while (next_line(fname, &pos, &marker)) {
		if (!has_markers(marker.module))
			markers_add(marker.name, marker.module, marker.format,
				    true);
	}
	free(buf);
}

/* As sort(1) orders the lines where it goes by bytes. */
static int compare_markers(const void *a, const void *b)
{
	const struct marker *marker_a = a, *marker_b = b;
	int ret;

	ret = strcmp(marker_a->name, marker_b->name);
	if (!ret)
		ret = strcmp(marker_a->module, marker_b->module);
	if (!ret)
		ret = strcmp(marker_a->format, marker_b->format);
	return ret;
}

/* The kernel is going to use those that are like the first that it sees. */
static void compare_formats(const struct marker *first,
			    const struct marker *other)
{
	if ((first->of_kernel && other->of_kernel) ||
	    marker_format_equal(first->format, other->format))
		return;
	warn("marker \"%s\": format \"%s\" in %s differs from \"%s\" in %s; later sites stay off\n",
	     other->name, other->format, other->module, first->format,
	     first->module);
}

/* Writes all that was noted, each line once. */
void markers_write(const char *fname)
{
	const struct marker *first = NULL;
	struct buffer buf = {};
	size_t i;

	if (num_markers)
		qsort(markers, num_markers, sizeof(*markers), compare_markers);
	for (i = 0; i < num_markers; i++) {
		const struct marker *marker = &markers[i];

		if (i && !compare_markers(marker - 1, marker))
			continue;
		if (first && !strcmp(first->name, marker->name))
			compare_formats(first, marker);
		else
			first = marker;
		if (marker->of_kernel)
			continue;
		buf_write(&buf, marker->name, strlen(marker->name));
		buf_write(&buf, "\t", 1);
		buf_write(&buf, marker->module, strlen(marker->module));
		buf_write(&buf, "\t", 1);
		buf_write(&buf, marker->format, strlen(marker->format));
		buf_write(&buf, "\n", 1);
	}
	write_if_changed(&buf, fname);
	free(buf.p);
}
