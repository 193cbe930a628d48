/** A release as the history of this clone has it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { project } from '../development.ts'
import type { Migration } from '../migrations/files.ts'

/** Whether the clone has the commit. */
export function hasCommit(commit: string): boolean {
  return spawnSync('git', ['-C', project, 'cat-file', '-e', `${commit}^{commit}`]).status === 0
}

/** Whether a commit has a file. */
export function hasFile(commit: string, path: string): boolean {
  return git('ls-tree', '--name-only', commit, path) !== ''
}

/** Whether the clone lacks a part of the history. */
export function isShallow(): boolean {
  return git('rev-parse', '--is-shallow-repository').trim() === 'true'
}

/** The migrations of a commit, in the order in which they are applied. */
export function migrationsAt(commit: string): Migration[] {
  return git('ls-tree', '--name-only', commit, 'migrations/')
    .split('\n')
    .filter((path) => path.endsWith('.sql'))
    .map((path) => ({ name: basename(path), sql: fileAt(commit, path) }))
}

/** The text of a file in a commit. */
export function fileAt(commit: string, path: string): string {
  return git('show', `${commit}:${path}`)
}

function git(...args: string[]): string {
  return execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' })
}
