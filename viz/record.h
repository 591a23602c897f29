/* Recordings: frames of one watched SM and samples of the chip in a compressed file, replayed without simulating.
 * Layout: "HEDDLEREC4\n", machine_info and listing, then frames; little-endian, gzip. */
#ifndef HEDDLE_VIZ_RECORD_H
#define HEDDLE_VIZ_RECORD_H

#include "viz/model.h"

struct recorder;
struct recorder *recorder_new(const char *path, const struct machine_info *info, struct error *err);
void recorder_frame(struct recorder *r, const struct frame *f);
bool recorder_finish(struct recorder *r, struct error *err);

struct player;
struct player *player_open(const char *path, struct machine_info *info, struct error *err);
/* The next frame; its pointers are valid until the next call. False at the end (err untouched) or on a broken file. */
bool player_next(struct player *p, struct frame *f, struct error *err);
bool player_rewind(struct player *p, struct error *err);
void player_close(struct player *p);

#endif
