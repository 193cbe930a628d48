/** Whether the Worker would take the variables of a deployment: it is asked, by its own code. */
import { pathToFileURL } from 'node:url'
import { project } from '../development.ts'

/**
 * What is needed of src/env.ts. It is imported by its path: its other types are those of the Workers runtime, which scripts
 * do not have.
 */
interface Environment {
  parseVariables: (
    values: Record<string, string>,
    databases: readonly string[],
  ) => { problems?: readonly string[] }
  Variables: { shape: Record<string, unknown> }
}

function isEnvironment(module: unknown): module is Environment {
  return (
    typeof module === 'object' &&
    module !== null &&
    'parseVariables' in module &&
    typeof module.parseVariables === 'function' &&
    'Variables' in module
  )
}

/** What is wrong with variables and secrets together, for a Worker with these databases: a line for each. */
export async function problemsOf(
  values: Record<string, string>,
  databases: readonly string[],
): Promise<readonly string[]> {
  const module: unknown = await import(pathToFileURL(`${project}src/env.ts`).href)
  if (!isEnvironment(module)) throw new Error('src/env.ts has no parseVariables')
  const unknown = Object.keys(values)
    .filter((name) => !(name in module.Variables.shape))
    .map((name) => `${name} is no variable of this service (docs/configuration.md)`)
  return [...unknown, ...(module.parseVariables(values, databases).problems ?? [])]
}
