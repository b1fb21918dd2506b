# SPDX-License-Identifier: Apache-2.0
import resource
print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_STACK))
