import { proveLinks } from '../shards/links/proof.ts'

proveLinks(['share: done', 'revoke: done', 'branch: done', 'restore: done', 'job: done', 'shares shown'])
