#include "drivers/igmp/membership.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/suite.h"

static const struct in_addr *group(const char *text)
{
    static struct in_addr address;

    ck_assert_int_eq(inet_pton(AF_INET, text, &address), 1);
    return &address;
}

static void join_on_loopback(struct yk_igmp_membership *membership)
{
    struct yk_igmp_interface loopback;
    struct yk_refusal why;

    ck_assert(yk_igmp_interface_find(&loopback, "127.0.0.1", *group("239.10.0.5"), &why));
    yk_igmp_membership_init(membership);
    ck_assert_msg(yk_igmp_join(membership, *group("239.10.0.5"), &loopback, &why), "%s", why.text);
}

START_TEST(what_was_joined_is_read_back)
{
    struct yk_igmp_membership membership;
    struct yk_refusal why;

    join_on_loopback(&membership);
    ck_assert(yk_igmp_is_joined(&membership, &why));
    yk_igmp_leave(&membership);
    ck_assert(!yk_igmp_is_joined(&membership, &why));
}
END_TEST

START_TEST(a_group_the_kernel_does_not_list_is_no_evidence)
{
    struct yk_igmp_membership membership;
    struct yk_refusal why;

    join_on_loopback(&membership);
    membership.group = *group("239.10.0.6");
    ck_assert(!yk_igmp_is_joined(&membership, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "group 239.10.0.6: the kernel does not list it"));
    yk_igmp_leave(&membership);
}
END_TEST

START_TEST(a_group_joined_on_another_interface_is_no_evidence)
{
    struct yk_igmp_membership membership;
    struct yk_refusal why;

    join_on_loopback(&membership);
    membership.index += 1000;
    ck_assert(!yk_igmp_is_joined(&membership, &why));
    yk_igmp_leave(&membership);
}
END_TEST

START_TEST(a_join_that_the_kernel_refuses_says_why)
{
    struct yk_igmp_interface nowhere = {.name = "none9", .index = 1000000};
    struct yk_igmp_membership membership;
    struct yk_refusal why;

    yk_igmp_membership_init(&membership);
    ck_assert(!yk_igmp_join(&membership, *group("239.10.0.5"), &nowhere, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "group 239.10.0.5: cannot be joined on none9: "));
    ck_assert_int_eq(membership.fd, -1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        what_was_joined_is_read_back,
        a_group_the_kernel_does_not_list_is_no_evidence,
        a_group_joined_on_another_interface_is_no_evidence,
        a_join_that_the_kernel_refuses_says_why,
        NULL,
    };

    return suite_main("igmp membership", tests);
}
