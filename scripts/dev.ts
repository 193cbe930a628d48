/** npm run dev [-- --port N …]: migrates the local database, then serves; other options go to wrangler dev. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { developmentVariables, project } from './development.ts'

const args = process.argv.slice(2)
const { values } = parseArgs({
  args,
  strict: false,
  options: { port: { type: 'string' }, 'persist-to': { type: 'string' } },
})

developmentVariables()

const place = typeof values['persist-to'] === 'string' ? ['--persist-to', values['persist-to']] : []
const migrated = await wrangler(['d1', 'migrations', 'apply', 'DB', '--local', ...place], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, CI: '1' },
})
if (migrated.code !== 0) {
  console.error(migrated.output)
  console.error('The local database could not be migrated; see above. To begin anew, delete .wrangler/state.')
  process.exit(1)
}

const port = values.port === undefined ? ['--port', '8787'] : []
console.log('A token to call it with: npm run --silent token -- ada')
const served = await wrangler(['dev', '--show-interactive-dev-session=false', ...port, ...args], {
  stdio: 'inherit',
})
process.exit(served.code)

function wrangler(args: string[], options: SpawnOptions): Promise<{ code: number; output: string }> {
  const child = spawn('wrangler', args, { cwd: project, ...options })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  // npm, when it is terminated, ends its shell but not what the shell started.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve({ code: code ?? 130, output }))
  })
}
