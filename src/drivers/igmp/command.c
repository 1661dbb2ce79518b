#include "drivers/igmp/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/members.h"

static const char *const names[YK_PLACEHOLDER_END] = {
    [YK_PLACEHOLDER_GROUP] = "group",
    [YK_PLACEHOLDER_PORT] = "port",
    [YK_PLACEHOLDER_ADDRESS] = "address",
    [YK_PLACEHOLDER_ID] = "id",
};
#define KNOWN_TEXT "{group}, {port}, {address} and {id}"

/* Size of the "{letters}" that `text` starts with, or 0. */
static size_t braced_size(const char *text)
{
    size_t letters;

    if (text[0] != '{') {
        return 0;
    }
    letters = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
    return letters > 0 && text[1 + letters] == '}' ? letters + 2 : 0;
}

/* The placeholder spelled by `size` bytes with braces, or YK_PLACEHOLDER_END. */
static enum yk_placeholder which(const char *text, size_t size)
{
    for (size_t i = 0; i < YK_PLACEHOLDER_END; i++) {
        if (strlen(names[i]) == size - 2 && memcmp(names[i], text + 1, size - 2) == 0) {
            return (enum yk_placeholder)i;
        }
    }
    return YK_PLACEHOLDER_END;
}

static bool check_placeholders(struct yk_command *command, const char *arg, const char *place,
                               size_t number, struct yk_refusal *why)
{
    for (const char *at = strchr(arg, '{'); at != NULL; at = strchr(at + 1, '{')) {
        size_t size = braced_size(at);
        enum yk_placeholder found;

        if (size == 0) {
            continue;
        }
        found = which(at, size);
        if (found == YK_PLACEHOLDER_END) {
            return yk_refuse(why, YK_EXIT_CONFIG,
                             "%s[%zu]: %.*s is no placeholder; known here: " KNOWN_TEXT, place,
                             number, (int)(size < YK_SHOWN_MAX ? size : YK_SHOWN_MAX), at);
        }
        command->uses_address |= found == YK_PLACEHOLDER_ADDRESS;
    }
    return true;
}

static bool take_argument(struct yk_command *command, const json_t *value, const char *place,
                          struct yk_refusal *why)
{
    size_t number = command->count;
    char shown[YK_SHOWN_MAX];
    const char *arg = json_string_value(value);

    yk_shown(shown, value);
    if (arg == NULL) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s[%zu]: %s is no string; write every argument as a "
                         "string",
                         place, number, shown);
    }
    if (number == 0 && arg[0] == 0) {
        return yk_refuse(why, YK_EXIT_CONFIG, "%s[0]: \"\" is no program; write its name or path",
                         place);
    }
    if (json_string_length(value) > YK_COMMAND_ARG_BYTES_MAX) {
        return yk_refuse(why, YK_EXIT_CONFIG, "%s[%zu]: %s has %zu bytes; at most %d are possible",
                         place, number, shown, json_string_length(value), YK_COMMAND_ARG_BYTES_MAX);
    }
    if (!check_placeholders(command, arg, place, number, why)) {
        return false;
    }
    command->args[number] = strdup(arg);
    if (command->args[number] == NULL) {
        return yk_refuse(why, YK_EXIT_INTERNAL, "%s: out of memory; free some", place);
    }
    command->count++;
    return true;
}

bool yk_command_parse(struct yk_command *command, const json_t *config, const char *place,
                      struct yk_refusal *why)
{
    char shown[YK_SHOWN_MAX];

    memset(command, 0, sizeof *command);
    if (!json_is_array(config) || json_array_size(config) == 0) {
        yk_shown(shown, config);
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: %s is no command; write an array of strings, "
                         "the program first, or leave it out",
                         place, shown);
    }
    if (json_array_size(config) > YK_COMMAND_ARGS_MAX) {
        return yk_refuse(why, YK_EXIT_CONFIG,
                         "%s: %zu arguments; at most %d are possible, so put "
                         "them in a script",
                         place, json_array_size(config), YK_COMMAND_ARGS_MAX);
    }
    for (size_t i = 0; i < json_array_size(config); i++) {
        if (!take_argument(command, json_array_get(config, i), place, why)) {
            yk_command_fini(command);
            return false;
        }
    }
    return true;
}

void yk_command_fini(struct yk_command *command)
{
    for (size_t i = 0; i < command->count; i++) {
        free(command->args[i]);
    }
    memset(command, 0, sizeof *command);
}

/* Writes `arg` with its placeholders replaced, and the end, to `out` (NULL: only counts). Gives the
 * bytes. */
static size_t expand(const char *arg, const char *const values[YK_PLACEHOLDER_END], char *out)
{
    size_t used = 0;

    while (arg[0] != 0) {
        size_t size = braced_size(arg);
        const char *piece = arg;
        size_t piece_size = 1;

        if (size > 0) {
            piece = values[which(arg, size)]; /* known: checked when it was parsed */
            piece_size = strlen(piece);
        }
        if (out != NULL) {
            memcpy(out + used, piece, piece_size);
        }
        used += piece_size;
        arg += size > 0 ? size : 1;
    }
    if (out != NULL) {
        out[used] = 0;
    }
    return used + 1;
}

const char **yk_command_expand(const struct yk_command *command,
                               const char *const values[YK_PLACEHOLDER_END])
{
    size_t pointers = (command->count + 1) * sizeof(char *);
    size_t bytes = 0;
    const char **argv;
    char *text;

    for (size_t i = 0; i < command->count; i++) {
        bytes += expand(command->args[i], values, NULL);
    }
    argv = malloc(pointers + bytes);
    if (argv == NULL) {
        return NULL;
    }
    text = (char *)argv + pointers;
    for (size_t i = 0; i < command->count; i++) {
        argv[i] = text;
        text += expand(command->args[i], values, text);
    }
    argv[command->count] = NULL;
    return argv;
}
