/** Finds development values in the configuration, the secrets and the bundle of a deployment, which is then refused. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import {
  DEVELOPMENT_SECRET,
  DEVELOPMENT_WEBHOOK_SECRET,
  developmentProblems,
  isPrivateHost,
} from '../../src/platform/config/development.ts'
import { project } from '../development.ts'
import type { Configuration } from './configuration.ts'
import { NAMES_OF_SECRETS } from './settings.ts'

/** Fields of a configuration, at any depth, that only the local simulator reads. */
const SIMULATOR_ONLY = ['local_dev', 'dev', 'preview_database_id', 'preview_bucket_name', 'remote']

/** The development values in a configuration for wrangler: a line for each, never with a secret. */
export function refusalsIn(configuration: Configuration): string[] {
  const found: string[] = []
  const main = relative(project, configuration.main)
  if (main !== 'src/index.ts') found.push(`main is ${main}: a deployment serves src/index.ts`)
  const { vars = {} } = z
    .looseObject({ vars: z.record(z.string(), z.unknown()).optional() })
    .parse(configuration)
  if ('DEVELOPMENT' in vars) found.push('vars.DEVELOPMENT is set: it is for .dev.vars only')
  for (const name of NAMES_OF_SECRETS)
    if (name in vars) found.push(`vars.${name} is a secret: it stands in no file, the command asks for it`)
  for (const { path, value } of leaves(configuration)) {
    const simulated = path.find((member) => SIMULATOR_ONLY.includes(member))
    if (simulated !== undefined) found.push(`${path.join('.')} is for the local simulator`)
    else if (typeof value === 'string' && !isPath(path)) {
      const why = whyOfDevelopment(value)
      if (why !== undefined) found.push(`${path.join('.')} ${why}`)
    }
  }
  const further = developmentProblems(vars).filter(
    (problem) => !found.some((line) => line.includes(problem.split(' ', 1).join())),
  )
  return [...new Set(found), ...further]
}

/** Whether the value of a field is a path on this machine, or a command. */
const isPath = ([first = '', second = '']: string[]) =>
  ['main', 'alias', 'build', 'assets'].includes(first) || second.startsWith('migrations_')

/** Why a value must not be deployed; undefined when it may. Includes the secrets in `.dev.vars`. */
export function whyOfDevelopment(value: string): string | undefined {
  if (value.startsWith(DEVELOPMENT_SECRET) || value.includes(DEVELOPMENT_WEBHOOK_SECRET))
    return 'is a secret that was generated for development'
  if (['local-access-key', 'local-secret-key'].includes(value)) return 'is a key of the local bucket'
  if (value.includes('/cdn-cgi/local/')) return 'is an address of the local simulator'
  if (localSecrets().includes(value)) return 'stands in .dev.vars'
  const isLocal = value
    .split(',')
    .map((part) => part.trim())
    .some((part) => /^https?:\/\//.test(part) && URL.canParse(part) && isPrivateHost(new URL(part).hostname))
  return isLocal ? 'has an address of this machine or of a private network' : undefined
}

function localSecrets(): string[] {
  const path = join(project, '.dev.vars')
  if (!existsSync(path)) return []
  const set = parseEnv(readFileSync(path, 'utf8'))
  return NAMES_OF_SECRETS.flatMap((name) => set[name] || [])
}

function leaves(value: unknown, path: string[] = []): { path: string[]; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]))
}

const Metafile = z.object({ inputs: z.record(z.string(), z.unknown()) })

/** The development code and secrets in a bundle: sources by esbuild's metafile, secrets of `.dev.vars` by their text. */
export function refusalsInBundle(folder: string, metafile: string): string[] {
  const { inputs } = Metafile.parse(JSON.parse(readFileSync(metafile, 'utf8')))
  const sources = Object.keys(inputs).filter((input) => /(^|\/)src\/local(\.ts$|\/)/.test(input))
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.m?js$/.test(name),
  )
  const secrets = localSecrets().filter(
    (secret) => !['local-access-key', 'local-secret-key'].includes(secret),
  )
  const leaking = scripts.filter((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return secrets.some((secret) => text.includes(secret))
  })
  return [
    ...sources.map((source) => `the bundle holds ${source}, which only development serves`),
    ...leaking.map((name) => `${name} holds a secret of .dev.vars`),
  ]
}
