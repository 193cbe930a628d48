/** The progress of a transfer. */
import { Presets, SingleBar } from 'cli-progress'
import { bytes, printFact } from './print.ts'

/** Shows the progress of a transfer as a bar, if on a terminal, and always prints one line at the end. */
export async function withProgress<Result>(
  total: number,
  transfer: (onProgress: (progress: { sent_bytes: number }) => void) => Promise<Result>,
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
  let sent = 0
  bar.start(total, 0)
  try {
    return await transfer(({ sent_bytes }) => {
      sent = sent_bytes
      bar.update(sent)
    })
  } finally {
    bar.stop()
    printFact('sent', `${bytes(sent)} in ${Math.round(performance.now() - begun)} ms`)
  }
}
