// An empty table in the place of ICU's data, which is half of a static program. ICU calls this its stub data. Foundation asks ICU for
// languages, calendars and number formats, and Hopscope for none of these.

#include <stdint.h>

/// The head of a table of contents, as ICU's udata.h and ucmndata.h have it.
const _Alignas(16) struct {
    uint16_t size;
    uint8_t magic[2];
    uint16_t info_size, reserved;
    uint8_t is_big_endian, character_set, character_size, more;
    uint8_t format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t count, unused;
    int32_t contents[4];
} empty_icu_data = {
    .size = 32, .magic = {0xda, 0x27}, .info_size = 20, .character_size = 2, .format = {'T', 'o', 'C', 'P'}, .format_version = {1},
};
