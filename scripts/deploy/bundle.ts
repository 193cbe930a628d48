/** The first step: refuses development values in the configuration and the bundle, and variables that the Worker rejects. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, variablesOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { refusalsIn, refusalsInBundle } from './refusals.ts'
import { placeholderSecrets, refuseEnvironment } from './secrets.ts'
import { type Step, Stopped } from './step.ts'
import { problemsOf } from './variables.ts'

/** Builds the Worker as it will be deployed, and checks the bundle. Uploads nothing. */
export function bundle(deployment: Deployment): Step {
  const { wrangler, settings, file } = deployment
  const folder = folderOf(settings)
  return {
    name: 'Configuration and bundle',
    remedy: 'Correct what is named above. Nothing has been changed.',
    doneMessage: 'without development values, and the Worker accepts the variables',
    plan: async () => {
      const { path, configuration } = deployment.written()
      stopFor(refusalsIn(configuration), `Take these values out of ${file}: they are for development.`)
      refuseEnvironment(deployment)
      const bindings = settings.databases.map(({ binding }) => binding)
      const problems = await problemsOf(
        { ...variablesOf(settings), ...placeholderSecrets(deployment) },
        bindings,
      )
      stopFor(problems, `Correct the variables in ${file}: the Worker would refuse to serve with them.`)
      const [out, metafile] = [join(folder, 'bundle'), join(folder, 'bundle-meta.json')]
      rmSync(out, { recursive: true, force: true })
      mkdirSync(out, { recursive: true })
      await wrangler.run(['deploy', '--dry-run', '--outdir', out, '--metafile', metafile, '--config', path])
      stopFor(refusalsInBundle(out, metafile), 'Deploy src/index.ts, and import nothing of src/local there.')
      return []
    },
  }
}

function stopFor(reasons: readonly string[], remedy: string): void {
  if (reasons.length > 0) throw new Stopped(reasons.join('\n'), remedy)
}
