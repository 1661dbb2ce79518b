#include "drivers/null/null.h"

#include "driver_rig.h"
#include "lib/suite.h"

START_TEST(any_media_is_active_at_once)
{
    static const char *const media[] = {"{}", "{\"anything\":[1,2]}"};
    struct driver_rig rig;

    rig_open(&rig, &yk_driver_null, "{\"type\": \"null\"}", &rig_consumer);
    for (size_t i = 0; i < 2; i++) {
        rig_attach(&rig, media[i]);
        ck_assert_uint_eq(rig.reports, i + 1);
        ck_assert_int_eq(rig.status, YK_REPORT_ACTIVE);
        ck_assert_str_ne(rig.detail, "");
    }
    rig_close(&rig);
}
END_TEST

START_TEST(a_detach_is_confirmed_at_once)
{
    struct driver_rig rig;

    rig_open(&rig, &yk_driver_null, "{\"type\": \"null\"}", &rig_consumer);
    rig_detach(&rig, YK_DETACH_RESTART);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_attach(&rig, "{}");
    rig_detach(&rig, YK_DETACH_UNPAIR);
    ck_assert_int_eq(rig.status, YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(a_poll_tells_what_is_there)
{
    struct driver_rig rig;

    rig_open(&rig, &yk_driver_null, "{\"type\": \"null\"}", &rig_producer);
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_IDLE);
    rig_attach(&rig, "{}");
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_ACTIVE);
    rig_detach(&rig, YK_DETACH_STOP);
    ck_assert_int_eq(rig_poll(&rig), YK_REPORT_IDLE);
    rig_close(&rig);
}
END_TEST

START_TEST(an_unknown_member_is_refused_with_its_place)
{
    ck_assert_str_eq(rig_refusal(&yk_driver_null, "{\"type\": \"null\", \"tipe\": 1}"),
                     "driver.tipe: unknown member; did you mean \"type\"?");
}
END_TEST

START_TEST(any_configured_media_will_do)
{
    struct yk_refusal why;
    struct driver_rig rig;
    json_t *media = json_pack("{s:i}", "channel", 7);

    rig_open(&rig, &yk_driver_null, "{\"type\": \"null\"}", &rig_producer);
    ck_assert(yk_driver_null.check_media(rig.self, media, &why));
    json_decref(media);
    rig_close(&rig);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        any_media_is_active_at_once,  a_detach_is_confirmed_at_once,
        a_poll_tells_what_is_there,   an_unknown_member_is_refused_with_its_place,
        any_configured_media_will_do, NULL,
    };

    return suite_main("null", tests);
}
