/**
 * The platform's names for regions of the world, near which a Durable Object can be made
 * (https://developers.cloudflare.com/durable-objects/reference/data-location/).
 */
export const regions = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const

/** A region of the world. */
export type Region = (typeof regions)[number]

/** The jurisdictions that D1, R2, Queues and Durable Objects have in common. `fedramp-high` is one of Durable Objects alone. */
export const jurisdictions = ['eu', 'fedramp', 'us'] as const
