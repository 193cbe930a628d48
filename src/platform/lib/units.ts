/** Durations in seconds. */
export const MINUTE = 60
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Sizes in bytes. */
export const KIB = 1024
export const MIB = 1024 ** 2
export const GIB = 1024 ** 3
