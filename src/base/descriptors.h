/* descriptors.h - standard input, output and error are there, whoever started us. */
#ifndef YK_BASE_DESCRIPTORS_H
#define YK_BASE_DESCRIPTORS_H

/* Fills those that are closed with the null device, for reading only, so that writing there still
 * fails: files we open must not take their place, or what is printed would go into them. */
void yk_descriptors_fill(void);

#endif
