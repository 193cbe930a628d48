import { expect } from 'vitest'
import type { Actor } from './actor.ts'
import type { Step } from './step.ts'

/** Runs the scheduled job. */
export function runJob({ run }: Actor): Step {
  const begun = Date.now()
  return {
    kind: 'run the job',
    act: {
      says: 'run the job',
      send: (wire) => wire.runJob(),
      judge: (_, { status, body }) =>
        expect({ status, body }).toMatchObject({ status: 200, body: { outcome: 'ok' } }),
    },
    afterwards: () => run.jobHasRun(begun),
  }
}
