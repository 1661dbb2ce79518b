/* face_http.h - the face over HTTP: --http ADDR:PORT. The server itself is the module yoke-http.so. */
#ifndef YK_SNOOPER_FACE_HTTP_H
#define YK_SNOOPER_FACE_HTTP_H

#include "snooper/snoop.h"

extern const struct yk_face yk_face_http;

#endif
