import { formatBytes, formatCount, formatDuration } from '../controls/format.ts'
import type { QueuedUpload, UploadQueue } from './queue.ts'

/** Sums up all uploads of a queue since it was last empty. */
export function totalOf({ completed, pace }: UploadQueue, uploads: readonly QueuedUpload[]) {
  const countOf = (...states: QueuedUpload['state'][]) =>
    uploads.filter(({ state }) => states.includes(state)).length
  const size = uploads.reduce((sum, { source }) => sum + source.size_bytes, completed.bytes)
  const sent = uploads.reduce((sum, { sent_bytes }) => sum + sent_bytes, completed.bytes)
  const seconds = countOf('sending') > 0 ? pace.secondsFor(size - sent) : undefined
  const [failed, lost] = [countOf('failed'), countOf('lost')]
  const text = [
    `${formatBytes(sent)} of ${formatBytes(size)}`,
    seconds !== undefined && seconds > 0 && `${timeLeft(seconds)} left`,
    lost > 0 && `${lost} ${lost === 1 ? 'waits for its file' : 'wait for their files'}`,
  ]
  const count = completed.count + uploads.length
  return {
    title: completed.count === 0 ? formatCount(count, 'upload') : `${completed.count} of ${count} uploaded`,
    text: text.filter(Boolean).join(' · '),
    failed: failed === 0 ? undefined : `${failed} failed`,
    share: size === 0 ? 0 : sent / size,
    /** Whether an upload needs the user. */
    isWaiting: failed + lost > 0,
  }
}

/** In seconds below a minute, then in minutes. */
function timeLeft(seconds: number): string {
  return formatDuration(seconds < 60 ? seconds : Math.ceil(seconds / 60) * 60)
}
