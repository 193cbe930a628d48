/**
 * npm run prove:upgrade: runs the previous release's tests on today's tables, those of inboxes included. A deployment is in this
 * state between its migrations and its Worker, and inboxes are after a rollback (docs/upgrading.md). `previousRelease` in
 * package.json names the release.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { z } from 'zod'
import { project } from './development.ts'
import { migrationsIn } from './migrations/files.ts'
import { Exception, judgementOf, Report } from './upgrade/judge.ts'
import { hasCommit, isShallow, migrationsAt } from './upgrade/release.ts'

const { values } = parseArgs({ options: { brief: { type: 'boolean', default: false } } })

/** The tests of a short run, a few seconds: files and trash, assets and versions, quotas, inboxes. */
const BRIEF = [
  'test/notifications/notifications.test.ts',
  'test/rules/inbox.test.ts',
  'test/trash/trash.test.ts',
  'test/uploads/asset-uploads-completing.test.ts',
  'test/quota/quota.test.ts',
]

const INBOX = 'src/features/notifications/migrations.ts'
/** The steps of an inbox's tables in that file. */
const STEPS = /export const steps: readonly string\[\] = \[\n[\s\S]*?\n\]\n/

/** Packages that only pages are built from. The tests load none of them, so today's may be others. */
const OF_PAGES = ['@scalar/api-reference']

const Release = z.object({
  version: z.string(),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  exceptions: z.array(Exception),
})
const Package = z.object({
  previousRelease: Release,
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
})
const today = Package.parse(JSON.parse(readFileSync(`${project}package.json`, 'utf8')))
const { version, commit, exceptions } = today.previousRelease
if (!hasCommit(commit)) {
  console.error(
    `The history of this clone lacks ${commit}, the previous release (${version}): git fetch --unshallow brings it.`,
  )
  process.exit(isShallow() ? 3 : 1)
}
if (isDeepStrictEqual(migrationsAt(commit), migrationsIn(`${project}migrations`))) {
  console.log(`Nothing to prove: today's tables are those of ${version}.`)
  process.exit()
}

const folder = mkdtempSync(join(tmpdir(), 'previous-release-'))
try {
  process.exitCode = run(commit)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function run(commit: string): number {
  const archive = execFileSync('git', ['-C', project, 'archive', commit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  rmSync(`${folder}/migrations`, { recursive: true })
  cpSync(`${project}migrations`, `${folder}/migrations`, { recursive: true })
  giveInboxesTodaysTables()
  install()
  const report = join(folder, 'report.json')
  // A runtime for each of a few short files would take longer than they do.
  const chosen = values.brief ? [...BRIEF, '--no-file-parallelism'] : ['--exclude', 'test/db/**']
  const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, NODE_ENV, ...env } = process.env
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'workers',
      '--testTimeout',
      '120000',
      '--reporter',
      'json',
      '--outputFile',
      report,
      ...chosen,
    ],
    { cwd: folder, env, stdio: ['ignore', 'ignore', values.brief ? 'ignore' : 'inherit'] },
  )
  if (!existsSync(report)) {
    console.error(`The tests of ${version} did not run: vitest ended with ${status}.`)
    return 1
  }
  return judge(commit, Report.parse(JSON.parse(readFileSync(report, 'utf8'))))
}

/** Has the old code create each inbox with today's tables. */
function giveInboxesTodaysTables(): void {
  const old = join(folder, INBOX)
  const steps = STEPS.exec(readFileSync(project + INBOX, 'utf8'))?.[0]
  const before = readFileSync(old, 'utf8')
  if (steps === undefined || !STEPS.test(before)) throw new Error('The steps of an inbox are not found.')
  writeFileSync(
    old,
    before.replace(STEPS, () => steps),
  )
}

/** Says what failed. Returns the exit code: 0 when that is what is known to fail, all of it and nothing else. */
function judge(commit: string, report: z.output<typeof Report>): number {
  const { lines, passed, known, failed } = judgementOf(report, exceptions, { isWhole: !values.brief })
  for (const line of lines) console.log(line)
  console.log(
    `${version} (${commit.slice(0, 7)}) on today's tables: ${passed} passed, ${known} known, ${failed} failed.`,
  )
  return failed === 0 && passed > 0 ? 0 : 1
}

/** Links today's node_modules into the old release, or installs the release's own if a version differs. */
function install(): void {
  const old = z
    .object({ dependencies: Package.shape.dependencies, devDependencies: Package.shape.devDependencies })
    .parse(JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')))
  const needed = { ...old.dependencies, ...old.devDependencies }
  const present = { ...today.dependencies, ...today.devDependencies }
  const others = Object.keys(needed).filter(
    (name) => needed[name] !== present[name] && !OF_PAGES.includes(name),
  )
  if (others.length === 0) {
    // In a folder of its own, vitest keeps its cache apart from that of the run that may have started this one.
    mkdirSync(`${folder}/node_modules`)
    for (const name of readdirSync(`${project}node_modules`).filter((name) => name !== '.vite'))
      symlinkSync(`${project}node_modules/${name}`, `${folder}/node_modules/${name}`)
    return
  }
  console.log(`${version} has other dependencies (${others.join(', ')}): installing them.`)
  execFileSync('npm', ['ci', '--no-progress', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
}
