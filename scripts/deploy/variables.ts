/** Checks the variables of a deployment with the Worker's own code. */
import { pathToFileURL } from 'node:url'
import { project } from '../development.ts'

/**
 * The parts of src/platform/config/configuration.ts and src/platform/config/variables.ts that are used. Both are imported
 * dynamically, because their other types need the Workers runtime's, which scripts lack.
 */
interface Parser {
  parseVariables: (
    values: Record<string, string>,
    databases: readonly string[],
  ) => { problems?: readonly string[] }
}
interface Schema {
  Variables: { shape: Record<string, unknown> }
}

function isParser(module: unknown): module is Parser {
  return (
    typeof module === 'object' &&
    module !== null &&
    'parseVariables' in module &&
    typeof module.parseVariables === 'function'
  )
}

function isSchema(module: unknown): module is Schema {
  return typeof module === 'object' && module !== null && 'Variables' in module
}

const moduleAt = (path: string): Promise<unknown> => import(pathToFileURL(`${project}${path}`).href)

/** The problems of variables and secrets together, for a Worker with these database bindings: a line for each. */
export async function problemsOf(
  values: Record<string, string>,
  databases: readonly string[],
): Promise<readonly string[]> {
  const parser = await moduleAt('src/platform/config/configuration.ts')
  const schema = await moduleAt('src/platform/config/variables.ts')
  if (!isParser(parser)) throw new Error('src/platform/config/configuration.ts has no parseVariables')
  if (!isSchema(schema)) throw new Error('src/platform/config/variables.ts has no Variables')
  const unknown = Object.keys(values)
    .filter((name) => !(name in schema.Variables.shape))
    .map((name) => `${name} is no variable of this service (docs/configuration.md)`)
  return [...unknown, ...(parser.parseVariables(values, databases).problems ?? [])]
}
