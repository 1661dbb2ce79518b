"""Configurations that are wrong: refused with file, place, value and remedy."""

import json

import agent
import case


def config_refusal(lab, change, *words, role="consumer"):
    """The configuration changed so is refused, and the message names these."""
    made = case.offline(lab, role).commission()
    changed = change(made.config)
    text = changed if isinstance(changed, str) else json.dumps(made.config)
    made.config_file.write_text(text)
    for result in (case.run_agent(made), case.run_agent(made, "--check")):
        case.refused(result, 78, made.config_file, *words)


def set_at(*path):
    """A change that puts the last of `path` at the place that the others name."""
    def change(config):
        *place, last, value = path
        for name in place:
            config = config[name]
        config[last] = value
    return change


def test_an_unknown_member_is_refused_with_the_nearest_name(lab):
    config_refusal(lab, set_at("node", "nmae", "x"), "node.nmae", '"name"')


def test_an_unknown_driver_member_is_refused_with_its_place(lab):
    config_refusal(lab, set_at("driver", {"type": "igmp", "comand": ["x"]}), "driver.comand",
                   "command")


def test_an_unknown_driver_is_refused_with_the_known_ones(lab):
    config_refusal(lab, set_at("driver", "type", "vnc"), "driver.type", "igmp, jap, null, usbip")


def test_a_misspelt_driver_is_refused_with_the_nearest(lab):
    config_refusal(lab, set_at("driver", "type", "igpm"), "driver.type", 'did you mean "igmp"?')


def test_a_group_that_is_no_multicast_is_refused(lab):
    config_refusal(lab, set_at("network", "group", "10.1.2.3"), "network.group", "10.1.2.3")


def test_a_port_out_of_range_is_refused(lab):
    config_refusal(lab, set_at("network", "port", 65536), "network.port", "65536")


def test_a_node_id_out_of_shape_is_refused(lab):
    config_refusal(lab, set_at("node", "id", "room 3"), "node.id", "room 3")


def test_a_syntax_error_is_refused_with_line_and_column(lab):
    config_refusal(lab, lambda config: '{\n "node": {,}\n}', "2")


def test_a_duplicate_member_is_refused(lab):
    config_refusal(lab, lambda config: json.dumps(config)[:-1] + ', "media": null, "media": null}',
                   "media")


def test_an_absent_configuration_is_refused(lab):
    done = agent.yoke(lab.host("h"), "agent", "--config", "/nowhere/agent.json", timeout=20)
    case.refused(done, 78, "/nowhere/agent.json")


def test_media_with_a_fraction_is_refused_with_its_place(lab):
    config_refusal(lab, set_at("media", {**case.MEDIA, "rate": {"fps": 29.97}}), "media.rate.fps",
                   role="producer")


def test_media_with_a_65_bit_integer_is_refused_with_its_place(lab):
    config_refusal(lab, set_at("media", {**case.MEDIA, "a": [1, {"big": 2**64}]}),
                   "media.a[1].big: 18446744073709551616 is beyond 64 bits", role="producer")


def test_media_of_forty_levels_is_refused_with_its_place(lab):
    deep = {}
    for _ in range(39):
        deep = {"a": deep}
    config_refusal(lab, set_at("media", {**case.MEDIA, "deep": deep}), "media.deep",
                   role="producer")


def test_media_that_fills_the_frame_is_refused(lab):
    config_refusal(lab, set_at("media", {**case.MEDIA, "x": "y" * 1000}), "media", role="producer")


def test_igmp_media_that_is_no_multicast_is_refused(lab):
    def change(config):
        config["driver"] = {"type": "igmp"}
        config["media"] = {"group": "10.1.2.3", "port": 5004}
    config_refusal(lab, change, "media.group", "10.1.2.3", role="producer")


def test_igmp_media_on_the_control_group_is_refused(lab):
    def change(config):
        config["driver"] = {"type": "igmp"}
        config["media"] = {"group": agent.GROUP, "port": 5004}
    config_refusal(lab, change, "media.group", agent.GROUP, role="producer")


def test_igmp_media_that_is_link_local_is_refused(lab):
    def change(config):
        config["driver"] = {"type": "igmp"}
        config["media"] = {"group": "224.0.0.9", "port": 5004}
    config_refusal(lab, change, "media.group", "224.0.0.9", role="producer")
