/* config - any bytes as an agent's configuration: refused with file, place and remedy, or a
 * configuration within its bounds that is the same when read again. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/promises.h"
#include "shell/config.h"

static char path[64];

/* The bytes as a file, in memory. */
static void write_file(const uint8_t *data, size_t size)
{
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("config", MFD_CLOEXEC);
        FUZZ_CHECK(fd >= 0, "there is a file in memory");
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size,
               "the file takes the bytes");
}

static void check_refusal(const struct yk_refusal *why)
{
    FUZZ_CHECK(memchr(why->text, 0, sizeof why->text) != NULL, "a refusal ends");
    FUZZ_CHECK(why->exit == YK_EXIT_CONFIG, "what is wrong with a configuration is exit 78");
    FUZZ_CHECK(strncmp(why->text, path, strlen(path)) == 0, "a refusal names the file");
    FUZZ_CHECK(strlen(why->text) == sizeof why->text - 1 || strstr(why->text, "; ") != NULL,
               "a refusal that is not cut says what to do");
}

static bool ends(const char *text, size_t capacity)
{
    return memchr(text, 0, capacity) != NULL;
}

static void check_network(const struct yk_config *config)
{
    FUZZ_CHECK(config->network.group[0] >= 224 && config->network.group[0] <= 239,
               "the group is multicast");
    FUZZ_CHECK(config->network.port >= 1, "the port is 1 to 65535");
    FUZZ_CHECK(ends(config->network.interface, sizeof config->network.interface) &&
                   config->network.interface[0] != 0,
               "there is an interface, or 0.0.0.0");
    FUZZ_CHECK(ends(config->psk_file, sizeof config->psk_file) &&
                   ends(config->psk_file_next, sizeof config->psk_file_next),
               "paths of keys end");
    FUZZ_CHECK(config->psk_file[0] != 0 || config->psk_file_next[0] == 0,
               "a second key comes with a first");
}

static void check_config(const struct yk_config *config)
{
    size_t points;

    check_network(config);
    FUZZ_CHECK(fuzz_id_is_valid(&config->id) && config->site.node_id == config->id.text,
               "node.id is an id");
    FUZZ_CHECK(ends(config->name, sizeof config->name) &&
                   yk_utf8_valid(yk_slice_of(config->name), &points) && points <= YK_NAME_MAX,
               "a name has at most 64 code points");
    FUZZ_CHECK(config->site.role > YK_ROLE_NONE && config->site.role < YK_ROLE_END, "a role");
    FUZZ_CHECK(config->site.kind > YK_KIND_NONE && config->site.kind < YK_KIND_END, "a kind");
    FUZZ_CHECK(ends(config->state_file, sizeof config->state_file) && config->state_file[0] != 0,
               "there is a state file");
    FUZZ_CHECK(ends(config->status_socket, sizeof config->status_socket), "the socket's path ends");
    FUZZ_CHECK(config->tracked >= YK_TRACKED_MIN && config->tracked <= YK_TRACKED_MAX,
               "tables have 16 to 65536 entries");
    FUZZ_CHECK(config->driver != NULL && config->driver_self != NULL, "there is a driver");
    FUZZ_CHECK(config->media_size == 0 ||
                   (config->site.role == YK_ROLE_PRODUCER &&
                    fuzz_is_object((struct yk_slice){config->media, config->media_size})),
               "media is a producer's, and a canonical object");
}

static bool configs_equal(const struct yk_config *a, const struct yk_config *b)
{
    return yk_id_equal(&a->id, &b->id) && strcmp(a->name, b->name) == 0 &&
           memcmp(&a->network, &b->network, sizeof a->network) == 0 && a->tracked == b->tracked &&
           a->driver == b->driver && a->media_size == b->media_size &&
           memcmp(a->media, b->media, a->media_size) == 0;
}

static void check_network_alone(const struct yk_config *config, bool ok)
{
    static struct yk_config network;
    struct yk_refusal why;

    if (yk_config_load_network(&network, path, &why)) {
        check_network(&network);
        FUZZ_CHECK(!ok || memcmp(&network.network, &config->network, sizeof network.network) == 0,
                   "tools find the network where the agent does");
    } else {
        FUZZ_CHECK(!ok, "what serves an agent serves tools");
        check_refusal(&why);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct yk_config config, again;
    struct yk_refusal why;
    bool ok;

    write_file(data, size);
    ok = yk_config_load(&config, path, &why);
    check_network_alone(&config, ok);
    if (!ok) {
        check_refusal(&why);
        return 0;
    }
    check_config(&config);
    FUZZ_CHECK(yk_config_load(&again, path, &why) && configs_equal(&config, &again),
               "the same file gives the same configuration");
    yk_config_fini(&again);
    yk_config_fini(&config);
    return 0;
}
