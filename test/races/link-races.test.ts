import { it } from 'vitest'
import { proveLinks } from '../shards/links/proof.ts'

it('shares and branches are listed and linked, each of them and nothing else, whatever else comes', () =>
  proveLinks(['share: done', 'branch: done', 'job: done', 'shares shown', 'branches shown']))
