#include "snooper/page.h"

/* The assembler puts the files in as they are; the Makefile says that this depends on them. */
#define PART(name, file)                                            \
    __asm__(".section .rodata\n"                                    \
            "page_" #name ": .incbin \"" YK_PAGE_FOLDER file "\"\n" \
            "page_" #name "_end: .byte 0\n"                         \
            ".previous\n");                                         \
    extern __attribute__((visibility("hidden"))) const char page_##name[], page_##name##_end[]

PART(html, "index.html");
PART(css, "page.css");
PART(js, "page.js");
PART(icon, "icon.svg");

const struct yk_http_file yk_page_files[] = {
    {"/", "text/html; charset=utf-8", page_html, page_html_end},
    {"/page.css", "text/css; charset=utf-8", page_css, page_css_end},
    {"/page.js", "text/javascript; charset=utf-8", page_js, page_js_end},
    {"/icon.svg", "image/svg+xml", page_icon, page_icon_end},
};
const size_t yk_page_file_count = sizeof yk_page_files / sizeof yk_page_files[0];
