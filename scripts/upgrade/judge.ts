/** Judges the report of the previous release's tests on today's tables. */
import { z } from 'zod'

/** A test that reads tables directly and has to fail on today's, with the reason. */
export const Exception = z.object({ test: z.string().min(1), reason: z.string().min(1) })

/** The JSON report of vitest. */
export const Report = z.object({
  testResults: z.array(
    z.object({
      message: z.string().optional(),
      status: z.string(),
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

/** The result of a run. `lines` has one for each failed test and each exception that excuses no failure. */
export interface Judgement {
  lines: string[]
  passed: number
  /** Failures that an exception excuses. */
  known: number
  /** Other failures, files that did not load, and exceptions that excuse no failure. */
  failed: number
}

/**
 * Judges a run. An exception excuses no failure when its test has passed and, in a run of all tests (`isWhole`), when no test
 * has its name.
 */
export function judgementOf(
  { testResults }: z.output<typeof Report>,
  exceptions: readonly z.output<typeof Exception>[],
  { isWhole }: { isWhole: boolean },
): Judgement {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failures = tests.filter(({ status }) => status === 'failed')
  const exceptionFor = (name: string) => exceptions.find(({ test }) => name.includes(test))
  const known = failures.filter(({ fullName }) => exceptionFor(fullName))
  const unknown = failures.filter(({ fullName }) => !exceptionFor(fullName))
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const unused = exceptions.filter(({ test }) => {
    const named = tests.filter(({ fullName }) => fullName.includes(test))
    return named.length === 0 ? isWhole : named.every(({ status }) => status !== 'failed')
  })
  return {
    lines: [
      ...known.map(({ fullName }) => `known: ${fullName}\n  ${exceptionFor(fullName)?.reason}`),
      ...unknown.map(({ fullName }) => `FAILED: ${fullName}`),
      ...broken.map(({ name, message = '' }) => `FAILED: ${name}\n  ${message}`),
      ...unused.map(
        ({ test }) => `UNUSED: previousRelease.exceptions excuses "${test}", which does not fail`,
      ),
    ],
    passed: tests.filter(({ status }) => status === 'passed').length,
    known: known.length,
    failed: unknown.length + broken.length + unused.length,
  }
}
