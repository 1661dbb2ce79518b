#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "lib/suite.h"
#include "shell/config.h"

static struct yk_config config;
static struct yk_refusal why;

#define DECODER_NODE "\"node\":{\"id\":\"dec-1\",\"role\":\"consumer\",\"kind\":\"hdmi\"}"
#define ENCODER_NODE "\"node\":{\"id\":\"enc-1\",\"role\":\"producer\",\"kind\":\"hdmi\"}"
#define REST ",\"state_file\":\"/var/lib/yoke/s.json\",\"driver\":{\"type\":\"null\"}"

static bool load(const char *text)
{
    return yk_config_load(&config, files_text("agent.json", text), &why);
}

/* The refusal names the file, the place, the value, and what to do. */
static void refused(const char *text, const char *place, const char *value)
{
    char start[600];

    ck_assert_msg(!load(text), "accepted: %s", text);
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
    snprintf(start, sizeof start, "%s: %s", files_path("agent.json"), place);
    ck_assert_msg(strncmp(why.text, start, strlen(start)) == 0, "\"%s\" does not begin \"%s\"",
                  why.text, start);
    ck_assert_msg(strstr(why.text, value) != NULL, "no \"%s\" in: %s", value, why.text);
    ck_assert_msg(strpbrk(why.text + strlen(start), ";?:") != NULL, "no remedy: %s", why.text);
}

static void refused_media(const char *media, const char *place, const char *value)
{
    char text[8192];

    snprintf(text, sizeof text, "{" ENCODER_NODE REST ",\"media\":%s}", media);
    refused(text, place, value);
}

static void refused_decoder(const char *more, const char *place, const char *value)
{
    char text[8192];

    snprintf(text, sizeof text, "{" DECODER_NODE REST ",%s}", more);
    refused(text, place, value);
}

START_TEST(what_is_not_given_has_the_defaults)
{
    const uint8_t group[] = {239, 121, 111, 107};

    ck_assert_msg(load("{" DECODER_NODE REST "}"), "%s", why.text);
    ck_assert_str_eq(config.id.text, "dec-1");
    ck_assert_str_eq(config.name, "dec-1");
    ck_assert_int_eq(config.site.role, YK_ROLE_CONSUMER);
    ck_assert_int_eq(config.site.kind, YK_KIND_HDMI);
    ck_assert_mem_eq(config.network.group, group, 4);
    ck_assert_mem_eq(config.site.control_group, group, 4);
    ck_assert_uint_eq(config.network.port, 9753);
    ck_assert_str_eq(config.network.interface, "0.0.0.0");
    ck_assert_str_eq(config.psk_file, "");
    ck_assert_str_eq(config.psk_file_next, "");
    ck_assert_str_eq(config.status_socket, "/run/yoke/dec-1.sock");
    ck_assert(!config.status_socket_given);
    ck_assert_uint_eq(config.tracked, 4096);
    ck_assert_int_eq(config.log_level, YK_LOG_INFO);
    ck_assert_str_eq(config.driver->name, "null");
    ck_assert_uint_eq(config.media_size, 0);
    yk_config_fini(&config);
}
END_TEST

START_TEST(what_is_given_is_taken)
{
    ck_assert_msg(
        load("{\"node\":{\"id\":\"enc-1\",\"name\":\"Küche\",\"role\":\"producer\",\"kind\":"
             "\"usb\"},"
             "\"network\":{\"group\":\"224.1.2.3\",\"port\":1,\"interface\":\"eth0\"},"
             "\"psk_file\":\"/k\",\"psk_file_next\":\"/n\",\"state_file\":\"s\","
             "\"status_socket\":\"/s.sock\",\"limits\":{\"tracked\":16},\"log_level\":\"debug\","
             "\"driver\":{\"type\":\"null\"},\"media\":{\"b\": 1, \"a\": [true, \"\\u0041\"]}}"),
        "%s", why.text);
    ck_assert_str_eq(config.name, "Küche");
    ck_assert_int_eq(config.site.role, YK_ROLE_PRODUCER);
    ck_assert_int_eq(config.site.kind, YK_KIND_USB);
    ck_assert_uint_eq(config.network.group[0], 224);
    ck_assert_uint_eq(config.network.port, 1);
    ck_assert_str_eq(config.network.interface, "eth0");
    ck_assert_str_eq(config.psk_file, "/k");
    ck_assert_str_eq(config.psk_file_next, "/n");
    ck_assert_str_eq(config.state_file, "s");
    ck_assert_str_eq(config.status_socket, "/s.sock");
    ck_assert(config.status_socket_given);
    ck_assert_uint_eq(config.tracked, 16);
    ck_assert_int_eq(config.log_level, YK_LOG_DEBUG);
    yk_config_fini(&config);
}
END_TEST

START_TEST(media_is_spelled_canonically)
{
    static const char spelled[] = "{\"a\":[true,\"A\"],\"b\":1,\"\xc3\xa9\":\"\\n\"}";

    ck_assert_msg(
        load("{" ENCODER_NODE REST
             ",\"media\":{\"\\u00e9\":\"\\u000a\", \"b\": 1, \"a\": [true, \"\\u0041\"]}}"),
        "%s", why.text);
    ck_assert_uint_eq(config.media_size, sizeof spelled - 1);
    ck_assert_mem_eq(config.media, spelled, sizeof spelled - 1);
    yk_config_fini(&config);
}
END_TEST

START_TEST(unknown_members_are_refused_with_place_and_nearest_name)
{
    refused("{" DECODER_NODE REST ",\"netwrok\":{}}", "netwrok", "\"network\"");
    refused("{\"node\":{\"id\":\"d\",\"nmae\":\"x\"}" REST "}", "node.nmae", "\"name\"");
    refused_decoder("\"network\":{\"prot\":1}", "network.prot", "\"port\"");
    refused_decoder("\"limits\":{\"trackd\":16}", "limits.trackd", "\"tracked\"");
    refused("{" DECODER_NODE ",\"state_file\":\"/s\",\"driver\":{\"type\":\"null\",\"typ\":1}}",
            "driver.typ", "\"type\"");
    refused_decoder("\"zebra\":1", "zebra", "known here");
}
END_TEST

START_TEST(on_change_is_a_command)
{
    ck_assert_msg(load("{" DECODER_NODE REST ",\"on_change\":[\"/bin/true\"]}"), "%s", why.text);
    yk_config_fini(&config);
    refused_decoder("\"on_change\":\"/bin/true\"", "on_change", "no command");
    refused_decoder("\"on_change\":[\"/bin/true\",7]", "on_change[1]", "no word");
}
END_TEST

START_TEST(telemetry_listens_where_it_is_told)
{
    ck_assert_msg(load("{" DECODER_NODE REST ",\"telemetry\":{\"listen\":\"10.0.5.3:9754\"}}"),
                  "%s", why.text);
    ck_assert(config.telemetry);
    ck_assert_mem_eq(config.telemetry_at.ip, ((uint8_t[]){10, 0, 5, 3}), 4);
    ck_assert_uint_eq(config.telemetry_at.port, 9754);
    yk_config_fini(&config);
    ck_assert_msg(load("{" DECODER_NODE REST "}"), "%s", why.text);
    ck_assert(!config.telemetry);
    yk_config_fini(&config);
    refused_decoder("\"telemetry\":{}", "telemetry.listen", "missing");
    refused_decoder("\"telemetry\":[]", "telemetry", "object");
    refused_decoder("\"telemetry\":{\"listen\":9754}", "telemetry.listen", "string");
    refused_decoder("\"telemetry\":{\"lisen\":\"9754\"}", "telemetry.lisen", "\"listen\"");
    refused_decoder("\"telemetry\":{\"listen\":\"localhost:9754\"}", "telemetry.listen",
                    "names are not looked up");
}
END_TEST

START_TEST(required_members_are_named)
{
    refused("{}", "node", "missing");
    refused("{\"node\":{}" REST "}", "node.id", "missing");
    refused("{\"node\":{\"id\":\"d\",\"kind\":\"usb\"}" REST "}", "node.role", "missing");
    refused("{\"node\":{\"id\":\"d\",\"role\":\"consumer\"}" REST "}", "node.kind", "missing");
    refused("{" DECODER_NODE ",\"driver\":{\"type\":\"null\"}}", "state_file", "missing");
    refused("{" DECODER_NODE ",\"state_file\":\"/s\"}", "driver.type", "null");
    refused("{" DECODER_NODE ",\"state_file\":\"/s\",\"driver\":{}}", "driver.type", "null");
}
END_TEST

START_TEST(ids_outside_the_syntax_are_refused_with_the_rule)
{
    static const char *const bad[] = {"-a", "a b", "a/b", "ä", ".a", "a\\n"};
    char text[256];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "{\"node\":{\"id\":\"%s\"}" REST "}", bad[i]);
        refused(text, "node.id", "1 to 64 ASCII letters");
    }
    refused("{\"node\":{\"id\":\"\"}" REST "}", "node.id", "empty");
    refused("{\"node\":{\"id\":"
            "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}" REST "}",
            "node.id", "1 to 64 ASCII letters");
    refused("{\"node\":{\"id\":7}" REST "}", "node.id", "7 is an integer");
}
END_TEST

/* `count` times a character of two bytes. */
static void load_name(char *text, size_t capacity, unsigned count)
{
    size_t used = (size_t)snprintf(text, capacity,
                                   "{\"node\":{\"id\":\"d\",\"role\":\"consumer\",\"kind\":\"usb\","
                                   "\"name\":\"");

    for (unsigned i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, capacity - used, "ü");
    }
    snprintf(text + used, capacity - used, "\"}" REST "}");
}

START_TEST(a_name_has_at_most_64_code_points)
{
    char text[1024];

    load_name(text, sizeof text, 64);
    ck_assert_msg(load(text), "%s", why.text);
    ck_assert_uint_eq(strlen(config.name), 128);
    yk_config_fini(&config);
    load_name(text, sizeof text, 65);
    refused(text, "node.name", "more than 64");
    load_name(text, sizeof text, 0);
    refused(text, "node.name", "empty");
}
END_TEST

START_TEST(role_kind_and_level_are_words_of_the_list)
{
    refused("{\"node\":{\"id\":\"d\",\"role\":\"decoder\",\"kind\":\"usb\"}" REST "}", "node.role",
            "\"decoder\"");
    refused("{\"node\":{\"id\":\"d\",\"role\":\"consumer\",\"kind\":\"hdmi2\"}" REST "}",
            "node.kind", "\"hdmi2\"");
    refused_decoder("\"log_level\":\"loud\"", "log_level", "\"warning\"");
}
END_TEST

START_TEST(the_group_must_be_multicast)
{
    refused_decoder("\"network\":{\"group\":\"10.0.0.1\"}", "network.group", "10.0.0.1");
    refused_decoder("\"network\":{\"group\":\"223.255.255.255\"}", "network.group", "223");
    refused_decoder("\"network\":{\"group\":\"240.0.0.0\"}", "network.group", "240");
    refused_decoder("\"network\":{\"group\":\"ff02::1\"}", "network.group", "ff02::1");
    refused_decoder("\"network\":{\"group\":\"239.1.2\"}", "network.group", "239.1.2");
    refused_decoder("\"network\":{\"group\":1}", "network.group", "integer");
}
END_TEST

START_TEST(the_port_is_1_through_65535)
{
    refused_decoder("\"network\":{\"port\":0}", "network.port", "0 ");
    refused_decoder("\"network\":{\"port\":65536}", "network.port", "65536");
    refused_decoder("\"network\":{\"port\":-1}", "network.port", "-1");
    refused_decoder("\"network\":{\"port\":9753.0}", "network.port", "9753.0");
    refused_decoder("\"network\":{\"port\":\"9753\"}", "network.port", "\"9753\"");
    refused_decoder("\"network\":{\"port\":true}", "network.port", "true");
}
END_TEST

START_TEST(the_interface_is_a_name_or_a_unicast_address)
{
    static const char *const bad[] = {"224.0.0.1",        "255.255.255.255", "0.0.0.1", "10.0.0",
                                      "10.0.0.256",       "fe80::1",         "a/b",     "eth 0",
                                      "abcdefghijklmnop", "240.0.0.1"};
    static const char *const good[] = {"0.0.0.0", "127.0.0.1", "10.1.2.3", "eth0", "br-lan.7"};
    struct yk_network network;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!yk_network_set_interface(&network, bad[i], "--interface", &why), "%s",
                      bad[i]);
        ck_assert_ptr_nonnull(strstr(why.text, bad[i]));
        ck_assert_int_eq(strncmp(why.text, "--interface: ", 13), 0);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(yk_network_set_interface(&network, good[i], "--interface", &why), "%s",
                      why.text);
        ck_assert_str_eq(network.interface, good[i]);
    }
}
END_TEST

START_TEST(tracked_is_16_through_65536)
{
    refused_decoder("\"limits\":{\"tracked\":15}", "limits.tracked", "15");
    refused_decoder("\"limits\":{\"tracked\":65537}", "limits.tracked", "65537");
    refused_decoder("\"limits\":16", "limits", "16 is an integer");
}
END_TEST

START_TEST(open_mode_is_never_meant_by_accident)
{
    refused_decoder("\"psk_file\":\"\"", "psk_file", "empty");
    refused_decoder("\"psk_file\":null", "psk_file", "null");
    refused_decoder("\"psk_file_next\":\"/k\"", "psk_file_next", "/k");
}
END_TEST

START_TEST(paths_that_cannot_work_are_refused)
{
    refused("{" DECODER_NODE ",\"state_file\":\"/var/lib/\",\"driver\":{\"type\":\"null\"}}",
            "state_file", "/var/lib/");
    refused_decoder(
        "\"status_socket\":\"/"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
        "status_socket", "at most 107");
}
END_TEST

START_TEST(an_unknown_driver_is_refused_with_the_known_ones)
{
    refused("{" DECODER_NODE ",\"state_file\":\"/s\",\"driver\":{\"type\":\"igpm\"}}",
            "driver.type", "igmp");
    refused("{" DECODER_NODE ",\"state_file\":\"/s\",\"driver\":{\"type\":null}}", "driver.type",
            "string \"null\"");
    refused("{" DECODER_NODE ",\"state_file\":\"/s\",\"driver\":\"null\"}", "driver", "an object");
}
END_TEST

START_TEST(media_with_a_non_integer_is_refused_with_its_place)
{
    refused_media("{\"video\":{\"rates\":[25,29.97]}}", "media.video.rates[1]", "29.97");
    refused_media("{\"rate\":1e3}", "media.rate", "1000.0");
}
END_TEST

START_TEST(media_with_an_integer_beyond_64_bits_is_refused_with_its_place)
{
    refused_media("\n{\"rate\":36893488147419103232}",
                  "media.rate: ", "36893488147419103232 is beyond 64 bits; write an integer");
    refused_media("{\"o\":{\"x\":[]},\"a\":[{\"big\":7},[-1,{\"big\":9223372036854775808}]]}",
                  "media.a[1][1].big: ", "9223372036854775808 is beyond");
    refused_media("{\"a\":[-9223372036854775808,-9223372036854775809]}",
                  "media.a[1]: ", "-9223372036854775809 is beyond");
    refused_media("{\"a\":1234567890123456789012345678901234567890123}",
                  "media.a: ", "1234567890123456789012345678901234567890... is beyond");
    refused("{\"node\":[\"\",{\"\\u0061 \\n\":99999999999999999999}],\"x\":0}",
            "node[1].\\u0061 \\n: ", "99999999999999999999 is beyond");
    refused("18446744073709551616 ", "the whole file: ", "18446744073709551616 is beyond");
}
END_TEST

/* The wire's scanner, which finds places, takes no more than a frame could carry. */
START_TEST(a_number_out_of_range_in_a_larger_text_is_refused_with_line_and_column)
{
    char text[8192];

    snprintf(text, sizeof text, "%*s{\n\"a\":99999999999999999999}", 6000, "");
    refused(text, "line 2, column ", "write a number of at most 64 bits there");
    refused("{\"a\":1e999}", "line 1, column ", "write a number of at most 64 bits there");
}
END_TEST

START_TEST(a_duplicate_key_is_refused_with_its_place)
{
    refused_media("{\"a\":1,\"\\u0061\":2}", "line 1, column ", "duplicate");
    refused("{" DECODER_NODE REST REST "}", "line 1, column ", "duplicate");
}
END_TEST

/* Media of so many nested objects. */
static void nested(char *out, unsigned levels)
{
    size_t used = 0;

    for (unsigned i = 0; i + 1 < levels; i++) {
        used += (size_t)sprintf(out + used, "{\"a\":");
    }
    used += (size_t)sprintf(out + used, "{}");
    for (unsigned i = 0; i + 1 < levels; i++) {
        used += (size_t)sprintf(out + used, "}");
    }
}

START_TEST(media_may_have_30_levels_since_a_frame_has_32)
{
    char media[1024], text[2048];

    nested(media, 30);
    snprintf(text, sizeof text, "{" ENCODER_NODE REST ",\"media\":%s}", media);
    ck_assert_msg(load(text), "%s", why.text);
    yk_config_fini(&config);
    nested(media, 31);
    refused_media(media, "media.a.a.a", "31 levels");
    nested(media, 40);
    refused_media(media, "media.a.a.a", "31 levels");
}
END_TEST

START_TEST(media_beyond_a_frame_is_refused)
{
    char media[2048] = "{\"a\":\"";

    memset(media + 6, 'x', 1300);
    strcpy(media + 1306, "\"}");
    refused_media(media, "media", "1308 bytes");
}
END_TEST

START_TEST(media_is_an_object_or_null_and_a_producers)
{
    refused_media("[1]", "media", "[1] is no object");
    refused_media("\"x\"", "media", "\"x\" is no object");
    refused_decoder("\"media\":{\"a\":1}", "media", "on a consumer");
    ck_assert_msg(load("{" DECODER_NODE REST ",\"media\":null}"), "%s", why.text);
    yk_config_fini(&config);
    ck_assert_msg(load("{" ENCODER_NODE REST ",\"media\":null}"), "%s", why.text);
    ck_assert_uint_eq(config.media_size, 0);
    yk_config_fini(&config);
}
END_TEST

START_TEST(the_driver_judges_the_media)
{
    refused("{" ENCODER_NODE ",\"state_file\":\"/s\",\"driver\":{\"type\":\"igmp\"},"
            "\"media\":{\"group\":\"10.0.0.1\",\"port\":5000}}",
            "media.group", "10.0.0.1");
    refused("{" ENCODER_NODE ",\"state_file\":\"/s\",\"driver\":{\"type\":\"igmp\"},"
            "\"media\":{\"group\":\"239.121.111.107\",\"port\":5000}}",
            "media.group", "239.121.111.107");
}
END_TEST

START_TEST(text_that_is_no_json_is_refused_with_line_and_column)
{
    refused("", "line ", "column");
    refused("{\n \"node\": {\n", "line ", "column");
    refused("{} x", "line 1, column 4", "end of file");
    refused("[]", "the whole file", "an object");
    refused("\xef\xbb\xbf{}", "line 1", "column");
    refused("{\"a\":\"\xff\"}", "line 1", "column");
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused_without_waiting)
{
    ck_assert(!yk_config_load(&config, files_path("absent"), &why));
    ck_assert_ptr_nonnull(strstr(why.text, "does not exist"));
    ck_assert(!yk_config_load(&config, files_path("."), &why));
    ck_assert_ptr_nonnull(strstr(why.text, "is a directory"));
    ck_assert_int_eq(mkfifo(files_path("fifo"), 0600), 0);
    ck_assert(!yk_config_load(&config, files_path("fifo"), &why));
    ck_assert_ptr_nonnull(strstr(why.text, "is a FIFO"));
    ck_assert_int_eq(why.exit, YK_EXIT_CONFIG);
}
END_TEST

START_TEST(a_file_beyond_its_bound_is_refused)
{
    static char text[YK_CONFIG_FILE_MAX + 1];

    memset(text, ' ', sizeof text);
    ck_assert(!yk_config_load(&config, files_write("agent.json", text, sizeof text, 0644), &why));
    ck_assert_ptr_nonnull(strstr(why.text, "larger than 65536 bytes"));
}
END_TEST

START_TEST(a_tool_looks_only_at_network_and_keys)
{
    const char *path = files_text("agent.json", "{\"zebra\":1,\"network\":{\"port\":7},"
                                                "\"psk_file\":\"/k\",\"driver\":3}");

    ck_assert_msg(yk_config_load_network(&config, path, &why), "%s", why.text);
    ck_assert_uint_eq(config.network.port, 7);
    ck_assert_str_eq(config.psk_file, "/k");
    ck_assert(!yk_config_load_network(
        &config, files_text("agent.json", "{\"network\":{\"prot\":7}}"), &why));
    ck_assert_ptr_nonnull(strstr(why.text, "network.prot"));
    ck_assert(!yk_config_load_network(&config, files_text("agent.json", "[]"), &why));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        what_is_not_given_has_the_defaults,
        what_is_given_is_taken,
        media_is_spelled_canonically,
        unknown_members_are_refused_with_place_and_nearest_name,
        on_change_is_a_command,
        telemetry_listens_where_it_is_told,
        required_members_are_named,
        ids_outside_the_syntax_are_refused_with_the_rule,
        a_name_has_at_most_64_code_points,
        role_kind_and_level_are_words_of_the_list,
        the_group_must_be_multicast,
        the_port_is_1_through_65535,
        the_interface_is_a_name_or_a_unicast_address,
        tracked_is_16_through_65536,
        open_mode_is_never_meant_by_accident,
        paths_that_cannot_work_are_refused,
        an_unknown_driver_is_refused_with_the_known_ones,
        media_with_a_non_integer_is_refused_with_its_place,
        media_with_an_integer_beyond_64_bits_is_refused_with_its_place,
        a_number_out_of_range_in_a_larger_text_is_refused_with_line_and_column,
        a_duplicate_key_is_refused_with_its_place,
        media_may_have_30_levels_since_a_frame_has_32,
        media_beyond_a_frame_is_refused,
        media_is_an_object_or_null_and_a_producers,
        the_driver_judges_the_media,
        text_that_is_no_json_is_refused_with_line_and_column,
        what_is_no_regular_file_is_refused_without_waiting,
        a_file_beyond_its_bound_is_refused,
        a_tool_looks_only_at_network_and_keys,
        NULL,
    };

    return suite_main("config", tests);
}
