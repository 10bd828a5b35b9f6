/* imgpack: packs tables of a unit into a release image. In-house, not shipped as source. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t img[65536];
static size_t fill;

static void die(const char *a, const char *b, const char *c)
{
    fprintf(stderr, "imgpack: %s%s%s\n", a, b, c);
    exit(1);
}

static void usage(FILE *f)
{
    fputs("usage: imgpack --unit UNIT --out FILE HEADER...\n"
          "       imgpack --show FILE\n\n"
          "Packs the tables at the end of generated headers into an image.\n\n"
          "  --unit UNIT   the unit the image is for\n"
          "  --out FILE    the image to write\n"
          "  --show FILE   print what is in an image\n", f);
}

static void put(unsigned b)
{
    if (fill >= sizeof img) die("image too large", "", "");
    img[fill++] = (uint8_t)b;
}

static unsigned crc16(const uint8_t *p, size_t n)
{
    unsigned crc = 0xFFFF;
    while (n--) {
        crc ^= (unsigned)*p++ << 8;
        for (int i = 0; i < 8; i++) crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xFFFF;
    }
    return crc;
}

static int seat_of(const char *unit)
{
    char line[256], name[64];
    int seat;
    FILE *f = fopen("hw/boards.tab", "r");
    if (!f) die("cannot read ", "hw/boards.tab", "");
    while (fgets(line, sizeof line, f)) {
        if (line[0] != '#' && sscanf(line, "%63s %*s %*s %*s %d", name, &seat) == 2 && !strcmp(name, unit)) {
            fclose(f);
            return seat;
        }
    }
    fclose(f);
    return -1;
}

static void table(const char *path)
{
    char line[1024];
    char kind;
    int inside = 0;
    size_t at = 0;
    FILE *f = fopen(path, "r");
    if (!f) die("cannot read ", path, "");
    while (fgets(line, sizeof line, f)) {
        if (!inside) {
            if (sscanf(line, "/* table %c", &kind) == 1) {
                inside = 1;
                put((unsigned char)kind);
                at = fill;
                put(0);
                put(0);
            }
        } else if (!strncmp(line, "*/", 2)) {
            size_t n = fill - at - 2;
            img[at] = (uint8_t)n;
            img[at + 1] = (uint8_t)(n >> 8);
            fclose(f);
            return;
        } else {
            unsigned b;
            for (const char *p = line; sscanf(p, "%2x", &b) == 1 && p[0] > ' '; p += 2) put(b);
        }
    }
    die("no table in ", path, "");
}

static int show(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) die("cannot read ", path, "");
    fill = fread(img, 1, sizeof img, f);
    fclose(f);
    if (fill < 10 || memcmp(img, "LWIM", 4) ||
        crc16(img, fill - 2) != (unsigned)(img[fill - 2] | img[fill - 1] << 8)) die("not an image: ", path, "");
    printf("version %d.%d, seat %d, %d sections\n", img[4], img[5], img[6], img[7]);
    size_t at = 8;
    for (int s = 0; s < img[7]; s++) {
        size_t n = img[at + 1] | img[at + 2] << 8, w = img[at] == 'R' ? 8 : 4;
        printf("%c %zu bytes\n", img[at], n);
        at += 3;
        for (size_t i = 0; i < n; i++) printf("%s%02x%s", i % w ? "" : "  ", img[at + i], i % w == w - 1 ? "\n" : "");
        at += n;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *unit = NULL, *out = NULL, *seat = NULL;
    const char *files[16];
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) { usage(stdout); return 0; }
        if (!strcmp(argv[i], "--show") && i + 1 < argc) return show(argv[i + 1]);
        if (!strcmp(argv[i], "--unit") && i + 1 < argc) unit = argv[++i];
        else if (!strcmp(argv[i], "--out") && i + 1 < argc) out = argv[++i];
        else if (!strcmp(argv[i], "--seat") && i + 1 < argc) seat = argv[++i];
        else if (argv[i][0] == '-' || count == 16) { usage(stderr); return 2; }
        else files[count++] = argv[i];
    }
    if (!unit || !out || !count) { usage(stderr); return 2; }
    int want = seat_of(unit);
    if (want < 0) die("no unit ", unit, "");
    if (!seat) die(unit, ": nowhere to sit", "");
    char *end;
    if (strtol(seat, &end, 10) != want || *end) die(unit, ": does not sit in seat ", seat);
    int major = 0, minor = 0;
    FILE *v = fopen("VERSION", "r");
    if (!v || fscanf(v, "%d.%d", &major, &minor) != 2) die("cannot read ", "VERSION", "");
    fclose(v);
    memcpy(img, "LWIM", 4);
    fill = 4;
    put(major); put(minor); put(want); put(count);
    for (int i = 0; i < count; i++) table(files[i]);
    unsigned crc = crc16(img, fill);
    put(crc & 0xFF); put(crc >> 8);
    FILE *f = fopen(out, "wb");
    if (!f || fwrite(img, 1, fill, f) != fill || fclose(f)) die("cannot write ", out, "");
    printf("imgpack: %s, %zu bytes\n", out, fill);
    return 0;
}
