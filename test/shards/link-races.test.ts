import { it } from 'vitest'
import { proveLinks } from './links/proof.ts'

it(
  'shares and branches are listed and linked, each of them and nothing else, while partitions move',
  () =>
    proveLinks([
      'share: done',
      'branch: done',
      'restore: done',
      'move: done',
      'shares shown',
      'branches shown',
    ]),
  3_600_000,
)
