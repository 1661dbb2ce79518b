#include "base/endpoint.h"
#include "lib/suite.h"

static struct yk_endpoint endpoint;
static struct yk_refusal why;

static bool parse(const char *text)
{
    return yk_endpoint_parse(&endpoint, text, "--http", YK_EXIT_USAGE, &why);
}

static void is(const char *text, const char *endpoint_text)
{
    char out[YK_ENDPOINT_TEXT_MAX];

    ck_assert_msg(parse(text), "%s: %s", text, why.text);
    ck_assert_str_eq(yk_endpoint_text(out, &endpoint), endpoint_text);
}

static void refused(const char *text, const char *cause)
{
    ck_assert_msg(!parse(text), "\"%s\" was taken", text);
    ck_assert_int_eq(why.exit, YK_EXIT_USAGE);
    ck_assert_ptr_eq(strstr(why.text, "--http: "), why.text);
    ck_assert_msg(strstr(why.text, cause) != NULL, "\"%s\": %s", text, why.text);
}

START_TEST(an_address_and_a_port_are_read)
{
    is("10.0.5.3:9754", "10.0.5.3:9754");
    is("0.0.0.0:65535", "0.0.0.0:65535");
    is("127.0.0.1:0", "127.0.0.1:0");
    is("255.255.255.254:00080", "255.255.255.254:80");
}
END_TEST

START_TEST(a_port_alone_is_on_the_loopback_address)
{
    is("9754", "127.0.0.1:9754");
    is(":9754", "127.0.0.1:9754");
    ck_assert(yk_endpoint_is_loopback(&endpoint));
    is("127.9.9.9:1", "127.9.9.9:1");
    ck_assert(yk_endpoint_is_loopback(&endpoint));
    is("0.0.0.0:1", "0.0.0.0:1");
    ck_assert(!yk_endpoint_is_loopback(&endpoint));
}
END_TEST

START_TEST(what_is_no_port_is_refused)
{
    refused("", "no port");
    refused("127.0.0.1", "no port");
    refused("127.0.0.1:", "no port");
    refused("127.0.0.1:65536", "no port");
    refused("127.0.0.1:99999999999999999999", "no port");
    refused("127.0.0.1:-1", "no port");
    refused("127.0.0.1:+1", "no port");
    refused("127.0.0.1: 1", "no port");
    refused("127.0.0.1:http", "no port");
}
END_TEST

START_TEST(a_name_is_not_looked_up)
{
    refused("localhost:9754", "names are not looked up");
    refused("monitor.example:9754", "\"monitor.example\" is no IPv4 address");
    refused("[::1]:9754", "no IPv4 address");
    refused("1.2.3:9754", "no IPv4 address");
    refused("1.2.3.4.5:9754", "no IPv4 address");
    refused("1.2.3.256:9754", "no IPv4 address");
    refused("01234567890123456789:9754", "no IPv4 address");
    refused("127.0.0.1:1:2", "no IPv4 address");
}
END_TEST

START_TEST(an_address_of_many_hosts_is_refused)
{
    refused("239.121.111.107:9754", "no host's address");
    refused("255.255.255.255:9754", "no host's address");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_address_and_a_port_are_read,      a_port_alone_is_on_the_loopback_address,
        what_is_no_port_is_refused,          a_name_is_not_looked_up,
        an_address_of_many_hosts_is_refused, NULL,
    };

    return suite_main("endpoint", tests);
}
