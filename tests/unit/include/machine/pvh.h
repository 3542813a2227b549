#include "../../../../arch/x86_64/include/machine/pvh.h"
