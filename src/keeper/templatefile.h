/* SPDX-License-Identifier: Apache-2.0 */
/* templatefile.h - where in a template's file its keeper writes; the rest is copy_image.h's. */
#ifndef KEEPER_TEMPLATEFILE_H
#define KEEPER_TEMPLATEFILE_H

/* COPY_FILE_KEY; before it a library, behind it what the box wrote. */
enum { TEMPLATE_KEY_AT = 60 << 10, TEMPLATE_BYTES = 256 << 20 };

#endif
