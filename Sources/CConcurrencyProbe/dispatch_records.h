// Memory for the records of pending blocks.

#ifndef DISPATCH_RECORDS_H
#define DISPATCH_RECORDS_H

#pragma GCC visibility push(hidden)

/// The size of a record.
enum { BLOCK_RECORD_SIZE = 40 };

/// A record of that size, NULL if memory is short.
void *block_record_take(void);
void block_record_give(void *record);

#pragma GCC visibility pop

#endif
