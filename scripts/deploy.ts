/** npm run deploy [-- --dry-run --settings FILE]: creates what is missing, migrates, deploys, and checks the deployment. */
import { resolve } from 'node:path'
import { bucket } from './deploy/bucket.ts'
import { bundle } from './deploy/bundle.ts'
import { check } from './deploy/check.ts'
import { checker } from './deploy/checker.ts'
import { databases } from './deploy/databases.ts'
import { Deployment } from './deploy/deployment.ts'
import { domains } from './deploy/domains.ts'
import { login } from './deploy/login.ts'
import { migrations } from './deploy/migrations.ts'
import { place } from './deploy/place.ts'
import { probe } from './deploy/probe.ts'
import { publish } from './deploy/publish.ts'
import { queues } from './deploy/queue.ts'
import { replication } from './deploy/replication.ts'
import { secrets } from './deploy/secrets.ts'
import { type Step, take } from './deploy/step.ts'
import { project } from './development.ts'
import { orRefuse, readArguments } from './usage.ts'

const usage = `Usage: npm run deploy -- [--dry-run] [--settings production.json] [--skip-probe]

Creates the databases, the bucket, the queues and the secrets that are missing, probes the bucket, applies the migrations, turns
D1's read replication on, deploys the Worker, and checks that it works. Announces each change before making it. Keeps everything that exists, so it can be repeated.

  --dry-run    shows all steps, and changes nothing
  --settings   the file with the settings of the deployment (docs/deploying.md)
  --skip-probe does not test that R2 accepts the service's signed URLs and refuses copies`

const { values } = readArguments(usage, {
  'dry-run': { type: 'boolean', default: false },
  settings: { type: 'string', default: 'production.json' },
  'skip-probe': { type: 'boolean', default: false },
})

const isDryRun = values['dry-run']
const skipsProbe = values['skip-probe']
const deployment = orRefuse(
  () => new Deployment(resolve(project, values.settings), { isDryRun, skipsProbe }),
  '',
)

/** Functions, because earlier steps may change the settings that later steps read. */
const steps: ((deployment: Deployment) => Step | Step[])[] = [
  bundle,
  login,
  domains,
  place,
  databases,
  bucket,
  queues,
  checker,
  probe,
  secrets,
  migrations,
  replication,
  publish,
  check,
]
let isDone = true
for (const step of steps) {
  isDone = await take([step(deployment)].flat(), { isDryRun })
  if (!isDone) break
}
if (isDone) console.log(isDryRun ? '\nNothing has been changed.' : '\nDone.')
if (isDone && skipsProbe) console.log('The bucket was not probed: --skip-probe.')
process.exitCode = isDone ? 0 : 1
