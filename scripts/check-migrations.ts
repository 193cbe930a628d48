/** npm run check -- migrations: fails when remote D1 would refuse a migration, or two migrations have the same number. */
import { project } from './development.ts'
import { problemsOf } from './migrations/check.ts'
import { migrationsIn } from './migrations/files.ts'

const problems = problemsOf(migrationsIn(`${project}migrations`))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
