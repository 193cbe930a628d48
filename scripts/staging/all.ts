/** Every check of a deployment, in order. */
import type { Check } from './check.ts'
import { edge } from './edge.ts'
import { inbox } from './inbox.ts'
import { parts } from './parts.ts'
import { puts } from './puts.ts'

export const checks: readonly Check[] = [...edge, ...puts, ...parts, ...inbox]
