/** npm run bench: compares the speed of each hot path with a bare handler, or says where the CPU time of one goes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SingleBar } from 'cli-progress'
import { project } from '../scripts/development.ts'
import { readArguments, refuse } from '../scripts/usage.ts'
import { bundle, gzippedKiB } from './bundle.ts'
import { chart } from './chart.ts'
import { measureInbox } from './inbox.ts'
import { type Measured, measure } from './load.ts'
import { type HotPath, hotPaths } from './paths.ts'
import { costOf } from './plan.ts'
import { profile } from './profile.ts'
import { headersOf, teachFloor } from './record.ts'
import { type Line, reading, table, weight } from './report.ts'
import { scratchFolder } from './scratch.ts'
import { type Runtime, serve } from './serve.ts'
import { startupOf } from './startup.ts'
import { tokenOf } from './token.ts'
import { plantTree, USER } from './tree.ts'

const usage = `npm run bench [-- OPTIONS]: the speed of each hot path beside a bare handler, in 15 minutes
  --only PART     only the paths with this in their titles
  --rounds 15     how often each side is loaded; --seconds 0.5 how long
  --json          prints the figures as JSON in place of the table
  --svg FILE      draws the ratios into a file
  --profile       says in which packages, folders and functions the CPU time of the path of --only goes, without it of publishing`
const { values } = readArguments(usage, {
  seconds: { type: 'string' },
  rounds: { type: 'string', default: '15' },
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  svg: { type: 'string', default: '' },
  profile: { type: 'boolean', default: false },
})
const { only, json, svg } = values
const [seconds, rounds] = [Number(values.seconds ?? (values.profile ? 5 : 0.5)), Number(values.rounds)]
if (!(seconds >= 0.1 && Number.isInteger(rounds) && rounds >= 1))
  refuse('--seconds takes a number of at least 0.1, --rounds a whole number of at least 1.', usage)

const scratch = scratchFolder('bench')
const closing: (() => Promise<void> | void)[] = []

try {
  await (values.profile ? profile({ scratch, seconds, only }) : bench())
} catch (error) {
  if (process.exitCode !== 130) throw error
} finally {
  for (const end of closing) await end()
}

/** Builds, seeds, measures and reports. */
async function bench(): Promise<void> {
  console.error('Bundling the service, and the floor that it is measured against …')
  const [service, probe, floor] = await Promise.all([
    bundle('src/index.ts', join(scratch, 'service')),
    bundle('bench/probe.ts', join(scratch, 'probe'), [`./service.js:${project}src/app.ts`]),
    bundle('bench/floor.ts', join(scratch, 'floor')),
  ])
  const module = join(scratch, 'service.mjs')
  writeFileSync(module, service)
  const { cpu_ms } = await startupOf(module)

  console.error('Starting the runtime, and planting 10,000 items …')
  const runtime = await serve({ service, probe, floor }, join(scratch, 'state'))
  closing.unshift(() => runtime.stop())
  const paths = hotPaths(await plantTree(runtime.database)).filter(({ title }) => title.includes(only))
  const token = await tokenOf(USER)
  const recorded = await teachFloor(runtime, paths, token)

  const lines = await measureAll(runtime, paths, token)
  const inbox = await measureInbox(runtime, { rounds, seconds, only }, (title) =>
    console.error(`Measured: ${title}`),
  )
  const counted: Line[] = [
    ...lines.map((line, i) => ({ ...line, unit: 'requests/s' as const, ...costOf(recorded[i]) })),
    ...inbox,
  ]
  if (counted.length === 0) throw new Error(`No hot path has "${only}" in its title.`)
  if (svg) writeFileSync(svg, chart(counted))
  if (json) {
    const result = { rounds, seconds, gzipped_kib: gzippedKiB(service), startup_ms: cpu_ms, paths: counted }
    return console.log(JSON.stringify(result, null, 2))
  }
  console.log(`\n${table(counted)}\n\n${weight(gzippedKiB(service), cpu_ms)}`)
  console.log(`\n${reading(rounds, seconds)}`)
}

async function measureAll(runtime: Runtime, paths: HotPath[], token: string) {
  const progress = new SingleBar({
    format: '{bar} {percentage} %, about {eta} s to go: {title}',
    noTTYOutput: false,
  })
  closing.unshift(() => progress.stop())
  progress.start(paths.length * rounds * 2, 0, { title: '' })
  const lines: (Measured & { title: string })[] = []
  for (const path of paths) {
    const { title } = path
    progress.update({ title })
    const target = {
      service: await runtime.addressOf(path.by),
      floor: await runtime.addressOf('floor'),
      headers: headersOf(path, token),
    }
    lines.push({ title, ...(await measure(path, target, rounds, seconds, () => progress.increment())) })
    if (!process.stderr.isTTY) console.error(`Measured ${lines.length} of ${paths.length}: ${title}`)
  }
  progress.stop()
  return lines
}
