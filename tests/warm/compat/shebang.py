# SPDX-License-Identifier: Apache-2.0
# bytes: "#!/usr/bin/env python3\nprint(\"sb\")\n"
