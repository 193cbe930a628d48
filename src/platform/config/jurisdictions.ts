/** The jurisdictions that D1, R2, Queues and Durable Objects have in common. `fedramp-high` is one of Durable Objects alone. */
export const JURISDICTIONS = ['eu', 'fedramp', 'us'] as const
