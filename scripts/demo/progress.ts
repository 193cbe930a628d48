/** The progress of a transfer. */
import { Transform } from 'node:stream'
import { Presets, SingleBar } from 'cli-progress'
import { bytes, printFact } from './client.ts'

/** Creates a stream that counts the content that passes through it. */
export type Counter = () => Transform

/** Shows a bar on a terminal while bytes pass through one or more streams, and always one line at the end. */
export async function withProgress<Result>(
  verb: string,
  total: number,
  pass: (counter: Counter) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar(
    {
      stream: process.stdout,
      format: '    {bar} {percentage}% of {total} bytes',
      formatValue: (value, _options, type) => (type === 'total' ? value.toLocaleString('en') : String(value)),
      gracefulExit: true,
    },
    Presets.shades_classic,
  )
  const begun = performance.now()
  let passed = 0
  const counter = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        passed += chunk.length
        bar.update(passed)
        done(null, chunk)
      },
    })
  bar.start(total, 0)
  try {
    return await pass(counter)
  } finally {
    bar.stop()
    printFact(verb, `${bytes(passed)} in ${Math.round(performance.now() - begun)} ms`)
  }
}
