/** Sizes in bytes. */
export const KIB = 1024
export const MIB = 1024 ** 2
export const GIB = 1024 ** 3
