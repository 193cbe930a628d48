import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import './problem.ts'

await applyD1Migrations(env.DB, env.MIGRATIONS)
