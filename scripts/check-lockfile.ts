import { readFileSync } from 'node:fs'
import { project } from './development.ts'

/**
 * npm run check -- lockfile: fails when a package in the lockfile has no checksum, because npm would install it unverified. npm
 * writes such entries when it makes a lockfile from an existing node_modules.
 */
const { packages }: { packages: Record<string, { version?: string; integrity?: string; link?: boolean }> } =
  JSON.parse(readFileSync(`${project}package-lock.json`, 'utf8'))

const missing = Object.entries(packages)
  .filter(([path, { integrity, link }]) => path.includes('node_modules/') && !integrity && !link)
  .map(([path, { version }]) => `${path} ${version}`)

if (missing.length > 0) {
  console.error(
    `package-lock.json has no integrity for ${missing.length} packages:\n  ${missing.join('\n  ')}\n` +
      'Remove node_modules and package-lock.json, run npm install, and compare the versions.',
  )
  process.exitCode = 1
}
