#include "drivers/usbip/places.h"

const struct yk_usbip_places yk_usbip_places = {
    .vhci = "/sys/devices/platform/vhci_hcd.0", /* all controllers are driven through the first */
    .devices = "/sys/bus/usb/devices",
    .host_driver = "/sys/bus/usb/drivers/usbip-host",
    .records = "/var/run/vhci_hcd",
    .boot_id = "/proc/sys/kernel/random/boot_id",
    .lock = "/run/yoke-usbip.lock",
    .tool = "usbip",
    .daemon = "usbipd",
};
