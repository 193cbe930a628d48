import { proveEachDeath } from './links/deaths.ts'

proveEachDeath()
