#define _GNU_SOURCE
#include "CDebugInfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A stretch of code. `index` is the number of its unit, the address of its symbol's name, or the offset of its entry in the debug
/// information.
struct stretch {
    uint64_t low, high, index;
    /// The number of entries around it, or the number of its symbol: of several names for one function the last one counts.
    unsigned depth;
};

struct stretches {
    struct stretch *list;
    size_t count, room;
};

/// A compilation unit, which the compiler made of one source file or of one module.
struct unit {
    Dwarf_Die die;
    /// The stretches of its functions, inlined or not, once the unit has been walked.
    struct stretches functions;
    bool is_walked;
};

struct debug_file {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Elf *elf;
    /// The difference between an address that elfutils uses and the same address in the file.
    GElf_Addr bias;
    /// Likewise in the debug information, which may be in another file.
    Dwarf_Addr debug_bias;
    struct unit *units;
    size_t unit_count, unit_room;
    /// The stretches of the units, and of the functions that have a symbol, by address.
    struct stretches code, symbols;
    /// The address of the symbol `main`, or 0. SwiftPM gives the function another name, such as `App_main`.
    GElf_Addr entry;
};

static bool make_room(void **list, size_t count, size_t *room, size_t size) {
    if (count < *room) return true;
    size_t wanted = *room ? *room * 2 : 64;
    void *grown = realloc(*list, wanted * size);
    if (!grown) return false;
    *list = grown;
    *room = wanted;
    return true;
}

static void add_stretch(struct stretches *stretches, struct stretch stretch) {
    if (stretch.low >= stretch.high) return;
    if (!make_room((void **)&stretches->list, stretches->count, &stretches->room, sizeof stretch)) return;
    stretches->list[stretches->count++] = stretch;
}

/// Adds the code of an entry.
static void add_code(struct stretches *stretches, Dwarf_Die *die, uint64_t index, unsigned depth) {
    Dwarf_Addr base, low, high;
    for (ptrdiff_t offset = 0; (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0;)
        add_stretch(stretches, (struct stretch){low, high, index, depth});
}

// Separate debug information

/// Opens a file of debug information in one of the folders that Debian, Fedora and gdb use.
static int find_debug_information(
    Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *path, const char *link, GElf_Word checksum,
    char **found) {
    (void)data, (void)name, (void)base, (void)checksum;
    char candidate[PATH_MAX];
    const unsigned char *identifier = NULL;
    GElf_Addr where;
    int length = dwfl_module_build_id(module, &identifier, &where);
    if (length > 1 && length <= 64) {
        int end = snprintf(candidate, sizeof candidate, "/usr/lib/debug/.build-id/%02x/", identifier[0]);
        for (int i = 1; i < length; i++) end += snprintf(candidate + end, sizeof candidate - (size_t)end, "%02x", identifier[i]);
        snprintf(candidate + end, sizeof candidate - (size_t)end, ".debug");
        int file = open(candidate, O_RDONLY | O_CLOEXEC);
        if (file >= 0) return *found = strdup(candidate), file;
    }
    const char *last = path ? strrchr(path, '/') : NULL;
    if (!link || !last || strchr(link, '/')) return -1;
    static const char *const folders[] = {"", ".debug/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)(last + 1 - path), path, folders[i], link);
        int file = open(candidate, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0) return *found = strdup(candidate), file;
    }
    return -1;
}

// Opening

static int by_address(const void *first, const void *second) {
    const struct stretch *a = first, *b = second;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static void sort(struct stretches *stretches) {
    if (stretches->count) qsort(stretches->list, stretches->count, sizeof *stretches->list, by_address);
}

/// The last stretch that begins at or before an address, if it contains the address.
static const struct stretch *stretch_at(const struct stretches *stretches, uint64_t address) {
    size_t low = 0, high = stretches->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stretches->list[middle].low <= address) low = middle + 1;
        else high = middle;
    }
    return low > 0 && address < stretches->list[low - 1].high ? &stretches->list[low - 1] : NULL;
}

static void add_units(struct debug_file *file) {
    for (Dwarf_Die *die = NULL; (die = dwfl_module_nextcu(file->module, die, &file->debug_bias));) {
        if (!make_room((void **)&file->units, file->unit_count, &file->unit_room, sizeof *file->units)) return;
        file->units[file->unit_count] = (struct unit){.die = *die};
        add_code(&file->code, die, file->unit_count++, 0);
    }
    sort(&file->code);
}

/// Adds the functions of the file's table of symbols, which is stripped from many libraries, else of the table for the dynamic linker.
static void add_symbols(struct debug_file *file) {
    for (GElf_Word type = SHT_SYMTAB; file->symbols.count == 0; type = SHT_DYNSYM) {
        for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
            GElf_Shdr header;
            Elf_Data *data;
            if (!gelf_getshdr(section, &header) || header.sh_type != type || !(data = elf_getdata(section, NULL))) continue;
            GElf_Sym symbol;
            for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
                int kind = GELF_ST_TYPE(symbol.st_info);
                if (symbol.st_shndx == SHN_UNDEF || (kind != STT_FUNC && kind != STT_GNU_IFUNC)) continue;
                const char *name = elf_strptr(file->elf, header.sh_link, symbol.st_name);
                uint64_t end = symbol.st_value + (symbol.st_size ? symbol.st_size : 1);
                // A second name can have no size. It must not hide the function.
                unsigned number = symbol.st_size ? (unsigned)i + 1 : 0;
                if (name && strcmp(name, "main") == 0) file->entry = symbol.st_value;
                if (name) add_stretch(&file->symbols, (struct stretch){symbol.st_value, end, (uint64_t)(uintptr_t)name, number});
            }
        }
        if (type == SHT_DYNSYM) break;
    }
    sort(&file->symbols);
}

struct debug_file *debug_open(const char *path) {
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf, .find_debuginfo = find_debug_information, .section_address = dwfl_offline_section_address};
    struct debug_file *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    // A pipe or a device would wait for a writer.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    file->dwfl = descriptor >= 0 ? dwfl_begin(&callbacks) : NULL;
    if (file->dwfl) file->module = dwfl_report_offline(file->dwfl, path, path, descriptor);
    // elfutils closes the descriptor with the module.
    if (descriptor >= 0 && !file->module) close(descriptor);
    if (!file->module || dwfl_report_end(file->dwfl, NULL, NULL) != 0 || !(file->elf = dwfl_module_getelf(file->module, &file->bias))) {
        debug_close(file);
        return NULL;
    }
    add_units(file);
    add_symbols(file);
    return file;
}

void debug_close(struct debug_file *file) {
    if (!file) return;
    for (size_t i = 0; i < file->unit_count; i++) free(file->units[i].functions.list);
    free(file->units);
    free(file->code.list);
    free(file->symbols.list);
    if (file->dwfl) dwfl_end(file->dwfl);
    free(file);
}

// Frames

/// Adds the stretches of all functions below an entry. The compiler nests functions in types and in other functions.
static void walk(struct stretches *functions, Dwarf_Die *parent, unsigned depth) {
    enum { deepest = 256 };
    Dwarf_Die die;
    if (depth == deepest || dwarf_child(parent, &die) != 0) return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) add_code(functions, &die, dwarf_dieoffset(&die), depth);
        if (dwarf_haschildren(&die) == 1) walk(functions, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static const char *linkage_name(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return dwarf_diename(die);
}

static Dwarf_Word number(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

static void set_path(struct debug_frame *frame, Dwarf_Die *unit, const char *path) {
    Dwarf_Attribute folder;
    frame->path = path;
    frame->folder = path && *path != '/' && dwarf_attr(unit, DW_AT_comp_dir, &folder) ? dwarf_formstring(&folder) : NULL;
}

/// Sets the line of the call that was replaced by the code of an inlined function.
static void set_call(struct debug_frame *frame, Dwarf_Die *unit, Dwarf_Die *inlined) {
    Dwarf_Files *files;
    size_t count;
    Dwarf_Word file = number(inlined, DW_AT_call_file);
    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count) return;
    set_path(frame, unit, dwarf_filesrc(files, file, NULL, NULL));
    frame->line = (uint32_t)number(inlined, DW_AT_call_line);
}

static void set_line(struct debug_frame *frame, Dwarf_Die *unit, uint64_t address) {
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number = 0;
    if (!line || dwarf_lineno(line, &number) != 0) return;
    set_path(frame, unit, dwarf_linesrc(line, NULL, NULL));
    frame->line = (uint32_t)number;
}

/// The innermost function of a unit at an address of the debug information that has fewer than `below` entries around it.
static const struct stretch *function_at(const struct unit *unit, uint64_t address, unsigned below) {
    const struct stretch *found = NULL;
    for (size_t i = 0; i < unit->functions.count; i++) {
        const struct stretch *stretch = &unit->functions.list[i];
        if (stretch->low <= address && address < stretch->high && stretch->depth < below && (!found || stretch->depth > found->depth))
            found = stretch;
    }
    return found;
}

/// The frames that the debug information tells. The first frame has a line even if no function is known.
static size_t described_frames(struct unit *unit, uint64_t address, struct debug_frame *frames, size_t room) {
    if (!unit->is_walked) walk(&unit->functions, &unit->die, 0);
    unit->is_walked = true;
    set_line(frames, &unit->die, address);
    size_t count = 0;
    const struct stretch *function;
    for (unsigned below = UINT_MAX; count < room && (function = function_at(unit, address, below)); below = function->depth) {
        Dwarf_Die die;
        if (!dwarf_offdie(dwarf_cu_getdwarf(unit->die.cu), function->index, &die)) break;
        frames[count].function = linkage_name(&die);
        frames[count++].begin = (uint32_t)number(&die, DW_AT_decl_line);
        if (dwarf_tag(&die) == DW_TAG_subprogram) break;
        if (count < room) set_call(&frames[count], &unit->die, &die);
    }
    return count;
}

// Awaits

/// The length of a function's name without the part that tells which piece of the function it is: `TQ1_` for the piece behind an await,
/// `TY2_` for one behind a change of executor. The whole length if the name has no such part.
static size_t length_without_piece(const char *name, bool *is_piece) {
    size_t length = strlen(name), end = length;
    *is_piece = false;
    if (end == 0 || name[--end] != '_') return length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
    if (end < 2 || end == length - 1 || name[end - 2] != 'T' || (name[end - 1] != 'Q' && name[end - 1] != 'Y')) return length;
    *is_piece = true;
    return end - 2;
}

/// The bytes of a function. NULL if the file does not have them.
static const uint8_t *bytes_of(Elf *elf, const struct stretch *function) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS || (header.sh_flags & SHF_EXECINSTR) == 0) continue;
        if (function->low < header.sh_addr || function->high > header.sh_addr + header.sh_size) continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        return data && data->d_size >= header.sh_size ? (const uint8_t *)data->d_buf + (function->low - header.sh_addr) : NULL;
    }
    return NULL;
}

/// The address of the instruction that names a piece of a function as the place to go on: the code of the await, or of the change of
/// executor. The piece's first instructions have the line of the whole function in optimized code, and those behind a change of executor the
/// line of the next statement. 0 for any other address, and on other processors.
static uint64_t awaiting_code(struct debug_file *file, uint64_t address) {
    enum { LENGTH = 7, WIDE = 0x48, WIDE_MASK = 0xFB, LEA = 0x8D, RELATIVE = 0x05, RELATIVE_MASK = 0xC7 };
    const struct stretch *piece = stretch_at(&file->symbols, address);
    GElf_Ehdr header;
    bool is_piece;
    if (!piece || piece->low != address || !gelf_getehdr(file->elf, &header) || header.e_machine != EM_X86_64) return 0;
    const char *name = (const char *)(uintptr_t)piece->index;
    size_t length = length_without_piece(name, &is_piece);
    if (!is_piece) return 0;
    for (size_t i = 0; i < file->symbols.count; i++) {
        const struct stretch *other = &file->symbols.list[i];
        const char *other_name = (const char *)(uintptr_t)other->index;
        bool unused;
        if (strncmp(name, other_name, length) != 0 || length_without_piece(other_name, &unused) != length) continue;
        const uint8_t *code = bytes_of(file->elf, other);
        for (uint64_t at = 0; code && at + LENGTH <= other->high - other->low; at++) {
            if ((code[at] & WIDE_MASK) != WIDE || code[at + 1] != LEA || (code[at + 2] & RELATIVE_MASK) != RELATIVE) continue;
            int32_t distance;
            memcpy(&distance, code + at + 3, sizeof distance);
            if (other->low + at + LENGTH + (uint64_t)(int64_t)distance == address) return other->low + at;
        }
    }
    return 0;
}

static size_t frames_at(struct debug_file *file, uint64_t address, struct debug_frame *frames, size_t room) {
    memset(frames, 0, room * sizeof *frames);
    uint64_t described = address + file->bias - file->debug_bias;
    const struct stretch *code = stretch_at(&file->code, described);
    size_t count = code ? described_frames(&file->units[code->index], described, frames, room) : 0;
    // The parts of a split function have names of their own only in the symbols.
    const struct stretch *symbol = stretch_at(&file->symbols, address);
    if (symbol) {
        if (count == 0) count = 1;
        frames[count - 1].function = symbol->low == file->entry ? "main" : (const char *)(uintptr_t)symbol->index;
    }
    return count;
}

size_t debug_frames(struct debug_file *file, uint64_t address, struct debug_frame *frames, size_t room) {
    if (room == 0) return 0;
    uint64_t await = awaiting_code(file, address);
    if (await != 0) {
        size_t count = frames_at(file, await, frames, room);
        // Code without a line is the compiler's.
        if (count > 0 && frames[count - 1].line > 0) return count;
    }
    return frames_at(file, address, frames, room);
}
