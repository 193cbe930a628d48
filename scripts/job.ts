/** npm run job [-- --port N]: runs the scheduled job on the local server, which logs what the job did. */
import { readArguments } from './usage.ts'

const usage =
  'npm run job [-- --port N]: runs the scheduled job on the local server, which logs what the job did.'
const { values } = readArguments(usage, { port: { type: 'string', default: '8787' } })
const address = `http://localhost:${values.port}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('*/5 * * * *')}&format=json`

try {
  const response = await fetch(address)
  const answer = await response.text()
  console.log(
    response.ok
      ? `The job ran: ${answer} What it did is in the server's log.`
      : `The job failed: ${response.status} ${answer}`,
  )
  if (!response.ok) process.exit(1)
} catch {
  console.error(`No server answers on http://localhost:${values.port}: start one with npm run dev.`)
  process.exit(1)
}
