import { afterAll } from 'vitest'
import { printDrawn } from '../support/seeded.ts'

afterAll(printDrawn)
