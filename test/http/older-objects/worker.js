import { DurableObject } from 'cloudflare:workers'

/** An object whose code is older than the Worker that calls it (vitest.config.ts): it has none of today's methods. */
export class Older extends DurableObject {}

export default {}
