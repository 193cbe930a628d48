import { proveEachDeath } from '../shards/links/deaths.ts'

proveEachDeath()
